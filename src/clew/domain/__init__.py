"""What is known of text, places, data files, records and sites, without any crawling."""
