"""Bodies of HTTP responses: content encodings, media types, and positions recorded by a browser."""
