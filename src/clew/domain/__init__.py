"""Knowledge without crawling: text, content encodings, places, data files, records, sites, model files."""
