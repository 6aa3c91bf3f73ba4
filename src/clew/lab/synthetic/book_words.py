"""Words that titles and authors of the book web are made of."""

# ruff: noqa: E501 - tables of words

SUBJECTS = {
    "databases": "Database, Query, Relational, Transaction, Data Base, Index, Schema, Data Warehouse, Storage",
    "networks": "Network, Packet, Router, Protocol, Wireless, Switching, Internet, Traffic",
    "business": "Business, Marketing, Accounting, Leadership, Sales, Startup, Finance, Negotiation",
    "gardening": "Garden, Orchard, Rose, Vegetable, Compost, Hedge, Greenhouse, Meadow",
    "cooking": "Soup, Bread, Kitchen, Pastry, Pickle, Sauce, Picnic, Curry",
}
"""The subjects, and what their books are about."""

WAYS = (
    "{0} {1}; The {0} Handbook of {1}; Principles of {0} {1}; {1} for {0} People; A Short History of {0} {1}; "
    "Modern {0} {1}; {0} {1} in Practice; The Art of {0} {1}; {0} and {1}; Understanding {0} {1}"
)
"""How titles are made: of a word of the subject, and of what it is done with."""

OBJECTS = (
    "Design, Systems, Methods, Management, Theory, Models, Planning, Engineering, Languages, Foundations, "
    "Tools, Recovery, Processing, Secrets, Patterns, Evolution, Economics, Measurement, Mistakes, Stories"
)

FAMILY = (
    "Abel, Alder, Ashby, Barrow, Bellamy, Birch, Calder, Carver, Chandler, Clough, Cotter, Dacre, Denholm, Dunne, "
    "Elwood, Farrow, Fenner, Garland, Gough, Hallam, Harker, Heriot, Hobbs, Ingram, Jessop, Keane, Kerr, Lacey, "
    "Lockhart, Mallory, Marsh, Nairn, Oakes, Orme, Paget, Penrose, Quill, Radley, Rowan, Sable, Selwyn, Tarn, "
    "Thorne, Underhill, Vance, Wainwright, Weir, Yardley, 夏目, Müller"
)
"""Family names of the authors."""
