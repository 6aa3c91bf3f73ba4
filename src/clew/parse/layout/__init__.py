"""Where links are on a page, estimated without a browser."""
