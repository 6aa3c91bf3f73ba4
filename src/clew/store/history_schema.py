"""The tables of refreshes and of the versions of pages as SQL text. Explained in docs/schema.md."""

HISTORY = """
CREATE TABLE rounds (                   -- one row for each refresh of the collection
    id          INTEGER PRIMARY KEY,
    started_at  REAL NOT NULL,              -- Unix seconds
    ended_at    REAL,                       -- NULL while it is unfinished: the next refresh continues it
    pages       INTEGER NOT NULL,           -- its budget of pages; 0 for no limit
    requests    INTEGER NOT NULL,           -- its budget of requests; 0 for no limit
    pages_before INTEGER NOT NULL,          -- pages of the crawl when it began
    requests_before INTEGER NOT NULL        -- requests of the crawl when it began
);

CREATE TABLE revisits (                 -- what the unfinished refresh has still to visit again
    link        INTEGER PRIMARY KEY REFERENCES links (id),
    score       REAL NOT NULL               -- 0 to 1, comparable to the scores of new links
);

CREATE TABLE visits (                   -- each time a page was visited again
    id          INTEGER PRIMARY KEY,
    page        INTEGER NOT NULL REFERENCES pages (id),
    round       INTEGER NOT NULL REFERENCES rounds (id),
    at          REAL NOT NULL,              -- when the request began (Unix seconds)
    change      TEXT NOT NULL,              -- changed, unchanged, gone, back, moved, failed or refused
    status      INTEGER NOT NULL,           -- HTTP status, 0 when there was no answer
    reason      TEXT NOT NULL,              -- why it failed or was refused
    redirect    TEXT,                       -- where it has moved to
    digest      TEXT,                       -- payload digest
    bytes       INTEGER NOT NULL,           -- length of the body as sent
    first_link  INTEGER NOT NULL,           -- the first of the new links found on it
    links       INTEGER NOT NULL,           -- how many new links were found on it
    warc_file   TEXT REFERENCES warcs (name),
    warc_offset INTEGER,                    -- where its response or revisit record begins
    warc_length INTEGER
);

CREATE TABLE versions (                 -- earlier versions of pages; the newest one is in pages and texts
    id          INTEGER PRIMARY KEY,
    page        INTEGER NOT NULL REFERENCES pages (id),
    fetched_at  REAL NOT NULL,              -- when this version was read (Unix seconds)
    replaced_at REAL NOT NULL,              -- when the next version was read
    title       TEXT,                       -- NULL when the page asked not to be indexed
    text        TEXT,                       -- main text; NULL when that of the next version is the same
    lang        TEXT NOT NULL,
    verdict     REAL,
    relevant    INTEGER NOT NULL,
    why         TEXT NOT NULL,
    bytes       INTEGER NOT NULL,
    digest      TEXT,
    etag        TEXT,
    modified    TEXT,
    records     TEXT,                       -- JSON list of the rows extracted from it, each an object
    warc_file   TEXT REFERENCES warcs (name),
    warc_offset INTEGER,
    warc_length INTEGER
);
CREATE INDEX versions_by_page ON versions (page);
CREATE INDEX visits_by_page ON visits (page);

CREATE VIEW history AS                  -- every visit to a page after the first, oldest first: WHERE url = ?
SELECT
    visits.id                           AS id,
    links.url                           AS url,
    strftime('%Y-%m-%dT%H:%M:%fZ', visits.at, 'unixepoch') AS at,
    visits.change                       AS change,
    visits.status                       AS status,
    visits.redirect                     AS redirect,
    visits.links                        AS new_links,
    visits.digest                       AS digest
FROM visits JOIN links ON links.id = visits.page;
"""
"""The tables of refreshes and versions, also added to databases of version 6."""

UPGRADE = f"""
ALTER TABLE pages ADD COLUMN etag TEXT;
ALTER TABLE pages ADD COLUMN modified TEXT;
ALTER TABLE runs ADD COLUMN round INTEGER;
{HISTORY}"""
"""What brings a database of version 6 up to date."""
