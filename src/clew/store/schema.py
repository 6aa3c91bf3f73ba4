"""The database of a crawl as SQL text: tables, views, version. Explained in docs/schema.md.

Two rules shaped it. Everything is appended, nothing is found by a random key: a unique index over a
million URLs would cost more than all the rest, as would new scores written into old rows. So
"have we seen this URL?" is answered in memory, from the `hash` column. And numbers come before
text in `links`, so that a restart reads a million of them without touching the words.
"""

APPLICATION_ID = 0x436C6577
"""`Clew` in ASCII: how a program (and `file crawl.db`) recognises our databases."""

VERSION = 7
"""Kept in `PRAGMA user_version`; a database with a larger one was made by a newer clew."""

OLDEST = 6
"""Databases from this version on can be read as they are, and are brought up to date by the next run."""

IS_PAGE = "(kind = 0 AND state = 1 AND redirect IS NULL AND status BETWEEN 200 AND 299 AND bytes > 0)"
"""Tells in `pages JOIN links` the pages that were read, as `PageResult.is_page` does."""

IS_FAILURE = f"(kind = 0 AND redirect IS NULL AND NOT {IS_PAGE})"
"""Tells the links to pages that ended without one, as `PageResult.is_failure` does."""

SCHEMA = """
CREATE TABLE meta (                     -- a few facts about the database itself
    key         TEXT PRIMARY KEY,
    value       TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE hosts (                    -- one row for each origin: scheme, host and port
    id          INTEGER PRIMARY KEY,
    origin      TEXT NOT NULL UNIQUE,
    next_at     REAL NOT NULL DEFAULT 0,    -- no request before this time (Unix seconds)
    robots_status INTEGER,                  -- answer to robots.txt, 0 unreachable, NULL never fetched
    robots_text TEXT,
    robots_at   REAL                        -- when robots.txt was fetched (Unix seconds)
);

CREATE TABLE runs (                     -- one row for each time the crawl was started
    id          INTEGER PRIMARY KEY,
    started_at  REAL NOT NULL,              -- Unix seconds
    ended_at    REAL,                       -- NULL while it runs, and when it was killed
    ended       TEXT,                       -- why it ended
    first_link  INTEGER NOT NULL,           -- links from this id on were found in this run or a later one
    software    TEXT NOT NULL,
    policy      TEXT NOT NULL,
    judge       TEXT NOT NULL,
    parts       TEXT,                       -- JSON list: what the policy's scores are made of
    settings    TEXT NOT NULL,              -- JSON: the whole configuration in force
    round       INTEGER                     -- the refresh that it belongs to; NULL for a run of the crawl
);

CREATE TABLE rules (                    -- a user's rule for hosts or URLs; the last row for a pattern counts
    id          INTEGER PRIMARY KEY,
    at          REAL NOT NULL,              -- Unix seconds
    host        TEXT NOT NULL,              -- a name, *.name for all below it, or a URL pattern
    kind        TEXT NOT NULL               -- exclude, include, forget, delay=S, pages=N; site: yes, no, open
);

CREATE TABLE links (                    -- every URL ever found, in the order it was found
    id          INTEGER PRIMARY KEY,
    host        INTEGER NOT NULL REFERENCES hosts (id),
    hash        INTEGER NOT NULL,           -- 64-bit name of the URL, as a signed number
    kind        INTEGER NOT NULL,           -- 0 page, 1 robots, 2 sitemap, 3 feed
    state       INTEGER NOT NULL,           -- 0 open, 1 done, 2 failed, 3 refused
    score       REAL NOT NULL,              -- 0 to 1, as it was when the link was found; see raised
    parent      INTEGER REFERENCES links (id),  -- where it was found; NULL for a seed
    depth       INTEGER NOT NULL,           -- links from a seed
    hops        INTEGER NOT NULL,           -- redirects in a row that led here
    tries       INTEGER NOT NULL,           -- requests made so far
    position    INTEGER,                    -- thousandths of the parent page before the link
    place       INTEGER,                    -- three digits each: area, pseudo-x, pseudo-y, x, y
    url         TEXT NOT NULL,
    anchor      TEXT,
    path        TEXT,                       -- tag path: body/main/ul.nav/li/a
    context     TEXT,                       -- words around the anchor
    reason      TEXT,                       -- why it failed, was refused or is tried again
    rules_for   TEXT,                       -- robots links: the origin whose rules the answer gives
    parts       BLOB                        -- 32-bit floats that add up to the score, as named in runs.parts
);

CREATE TABLE raised (                   -- links that were met again, with the better score they got
    link        INTEGER NOT NULL REFERENCES links (id),
    score       REAL NOT NULL,              -- the last row for a link counts
    source      INTEGER REFERENCES links (id),  -- the page it was met on again
    parts       BLOB,                       -- as in links
    position    INTEGER,                    -- its position there, as in links; NULL where no policy asks
    place       INTEGER,
    anchor      TEXT,
    path        TEXT,
    context     TEXT
);

CREATE TABLE places (                   -- what the trap guard knows of a folder, host or registered domain
    key         TEXT PRIMARY KEY,
    state       TEXT NOT NULL               -- JSON: what was spent there and not paid back
) WITHOUT ROWID;

CREATE TABLE pages (                    -- one row for each link that was fetched to its end
    id          INTEGER PRIMARY KEY REFERENCES links (id),
    status      INTEGER NOT NULL,           -- HTTP status, 0 when there was no answer
    error       TEXT NOT NULL,              -- empty when the page is whole
    truncated   INTEGER NOT NULL,
    mime        TEXT NOT NULL,
    encoding    TEXT NOT NULL,
    title       TEXT,                       -- NULL when the page asked not to be indexed
    lang        TEXT NOT NULL,
    score       REAL NOT NULL,              -- 0 to 1, with which the link was taken
    parts       BLOB,                       -- what that score was made of then, if it was ranked anew
    verdict     REAL,                       -- 0 to 1, NULL when nobody judged it
    relevant    INTEGER NOT NULL,
    why         TEXT NOT NULL,              -- the judge's reasons
    redirect    TEXT,                       -- where it sent us
    duplicate_of INTEGER REFERENCES links (id),
    noindex     INTEGER NOT NULL,
    fetched_at  REAL NOT NULL,              -- when the request began (Unix seconds)
    seconds     REAL NOT NULL,
    bytes       INTEGER NOT NULL,           -- length of the body as sent
    address     TEXT NOT NULL,              -- IP address that answered
    digest      TEXT,                       -- payload digest, as in the WARC record
    fingerprint INTEGER NOT NULL,           -- 64-bit simhash of the text, as a signed number
    warc_file   TEXT REFERENCES warcs (name),
    warc_offset INTEGER,                    -- where the response record begins
    warc_length INTEGER,                    -- its compressed length; the request record follows it
    etag        TEXT,                       -- ETag header, for conditional requests
    modified    TEXT                        -- Last-Modified header, as sent
);

CREATE TABLE texts (                    -- main text; no row for pages that asked not to be indexed
    page        INTEGER PRIMARY KEY REFERENCES pages (id),
    text        TEXT NOT NULL,
    margin      TEXT NOT NULL DEFAULT ''    -- headers, menus and footers around it
);

CREATE TABLE records (                  -- rows extracted from pages
    id          INTEGER PRIMARY KEY,
    page        INTEGER NOT NULL REFERENCES pages (id),
    columns     TEXT NOT NULL,              -- JSON list of names
    cells       TEXT NOT NULL,              -- JSON list of values
    source      INTEGER NOT NULL,           -- its position on the page
    confidence  REAL NOT NULL
);

CREATE TABLE rows (                     -- the table that grows from the user's example rows
    id          INTEGER PRIMARY KEY,        -- from 0 on; the example rows come first
    cells       TEXT NOT NULL,              -- JSON list of values, as found; meta.columns names them
    given       INTEGER NOT NULL,           -- 1 for an example row
    confidence  REAL NOT NULL,              -- 0 to 1, as it is now
    found_at    REAL NOT NULL               -- when it was found first (Unix seconds)
);

CREATE TABLE stands (                   -- where rows occur, also by rejected patterns
    row         INTEGER NOT NULL REFERENCES rows (id),
    page        INTEGER NOT NULL REFERENCES pages (id),
    pattern     INTEGER NOT NULL,           -- row in patterns; below 0: a known row, met by its values
    position    INTEGER NOT NULL,           -- pieces of text on the page before it
    confidence  REAL NOT NULL,              -- of the pattern, when it gave the row there
    at          REAL NOT NULL,              -- when it was found there (Unix seconds)
    PRIMARY KEY (row, page, pattern)
) WITHOUT ROWID;

CREATE TABLE patterns (                 -- how rows are recognised
    id          INTEGER PRIMARY KEY,
    prefix      TEXT NOT NULL,              -- URL prefix where it is tried
    confidence  REAL NOT NULL,
    words       TEXT NOT NULL               -- the pattern, for people
);

CREATE TABLE marks (                    -- a user's label on a row; the last one for a row counts
    id          INTEGER PRIMARY KEY,
    row         INTEGER NOT NULL REFERENCES rows (id),
    cells       TEXT NOT NULL,              -- its values then
    word        TEXT NOT NULL,              -- right, off-topic, noise, or empty when it was removed
    at          REAL NOT NULL               -- Unix seconds
);

CREATE TABLE markup (                   -- pages as clean markup, for patterns found later; only with a table
    id          INTEGER PRIMARY KEY,        -- in the order in which the pages were read
    page        INTEGER NOT NULL UNIQUE REFERENCES pages (id),
    packed      BLOB NOT NULL               -- UTF-8, deflated (zlib)
);

CREATE TABLE labels (                   -- a user's label on a page
    id          INTEGER PRIMARY KEY,
    url         TEXT NOT NULL,
    good        INTEGER NOT NULL,
    at          REAL NOT NULL               -- Unix seconds, never going back
);

CREATE TABLE searches (                 -- every query sent to search engines
    id          INTEGER PRIMARY KEY,
    at          REAL NOT NULL,              -- Unix seconds
    engine      TEXT NOT NULL,              -- as named in seek.search
    query       TEXT NOT NULL,
    lang        TEXT NOT NULL,              -- empty when the engine chose
    why         TEXT NOT NULL,              -- what it was sent for
    asked       INTEGER NOT NULL,           -- results requested
    count       INTEGER NOT NULL,           -- results that came
    new         INTEGER,                    -- new URLs among them; NULL until they are added
    relevant    INTEGER,                    -- pages among them that were relevant; NULL before counting
    error       TEXT NOT NULL               -- empty when all is well
);

CREATE TABLE search_results (           -- what they answered
    search      INTEGER NOT NULL REFERENCES searches (id),
    rank        INTEGER NOT NULL,           -- 1 is the best
    url         TEXT NOT NULL,
    title       TEXT NOT NULL,
    link        INTEGER REFERENCES links (id),  -- NULL before planting
    PRIMARY KEY (search, rank)
) WITHOUT ROWID;

CREATE TABLE warcs (                    -- the files in pages/ that belong to this database
    name        TEXT PRIMARY KEY,
    length      INTEGER NOT NULL            -- committed bytes; anything behind is cut at the next start
) WITHOUT ROWID;

CREATE VIEW fetched AS                  -- every fetched URL once, with the fields of an export
SELECT
    pages.id                            AS id,
    links.url                           AS url,
    CASE links.kind WHEN 0 THEN 'page' WHEN 1 THEN 'robots' WHEN 2 THEN 'sitemap' ELSE 'feed' END AS kind,
    pages.status                        AS status,
    pages.error                         AS error,
    pages.truncated                     AS truncated,
    pages.verdict                       AS verdict,
    pages.relevant                      AS relevant,
    coalesce(pages.title, '')           AS title,
    coalesce(texts.text, '')            AS text,
    pages.lang                          AS lang,
    pages.mime                          AS mime,
    strftime('%Y-%m-%dT%H:%M:%fZ', pages.fetched_at, 'unixepoch') AS fetched_at,
    parent.url                          AS parent,
    coalesce(links.anchor, '')          AS anchor,
    links.depth                         AS depth,
    hosts.origin                        AS host,
    pages.bytes                         AS bytes,
    pages.digest                        AS digest,
    twin.url                            AS duplicate_of,
    pages.noindex                       AS noindex,
    pages.warc_file                     AS warc_file,
    pages.warc_offset                   AS warc_offset
FROM pages
JOIN links ON links.id = pages.id
JOIN hosts ON hosts.id = links.host
LEFT JOIN texts ON texts.page = pages.id
LEFT JOIN links AS parent ON parent.id = links.parent
LEFT JOIN links AS twin ON twin.id = pages.duplicate_of;

CREATE VIEW good_pages AS               -- what the crawl was made for
SELECT fetched.id, url, fetched.title, pages.verdict, why, fetched.lang, text, fetched.fetched_at, parent,
       anchor, depth, host, fetched.warc_file, fetched.warc_offset
FROM fetched JOIN pages ON pages.id = fetched.id
WHERE pages.relevant = 1;

CREATE VIEW trail AS                    -- the crawl path from a page back to its seed: WHERE page = ?
SELECT
    start.id                            AS page,
    thread.key                          AS step,
    links.id                            AS id,
    links.url                           AS url,
    links.anchor                        AS anchor,
    links.depth                         AS depth,
    pages.title                         AS title,
    pages.verdict                       AS verdict
FROM links AS start
JOIN json_each((
    WITH RECURSIVE up (id) AS (
        SELECT start.id
        UNION ALL
        SELECT links.parent FROM up JOIN links ON links.id = up.id WHERE links.parent < links.id
    )
    SELECT '[' || group_concat(id) || ']' FROM up  -- json_group_array is not for untrusted views
)) AS thread
JOIN links ON links.id = thread.value
LEFT JOIN pages ON pages.id = links.id;

CREATE VIEW hosts_summary AS            -- one line for each host
SELECT
    hosts.origin                        AS host,
    count(links.id)                     AS links,
    count(CASE links.state WHEN 0 THEN 1 END) AS open,
    count(CASE links.state WHEN 1 THEN 1 END) AS done,
    count(CASE links.state WHEN 2 THEN 1 END) AS failed,
    count(CASE links.state WHEN 3 THEN 1 END) AS refused,
    coalesce(sum(pages.relevant), 0)    AS relevant,
    coalesce(sum(pages.bytes), 0)       AS bytes,
    hosts.robots_status                 AS robots_status,
    strftime('%Y-%m-%dT%H:%M:%fZ', nullif(hosts.next_at, 0), 'unixepoch') AS next_at
FROM hosts
LEFT JOIN links ON links.host = hosts.id
LEFT JOIN pages ON pages.id = links.id
GROUP BY hosts.id;

CREATE VIEW marked AS                   -- the last label on each row
SELECT row, word, at FROM marks
WHERE id IN (SELECT max(id) FROM marks GROUP BY row) AND word != '';

CREATE VIEW struck AS                   -- patterns that gave a row labelled as noise
SELECT DISTINCT stands.pattern AS pattern
FROM marked JOIN stands ON stands.row = marked.row
WHERE marked.word = 'noise' AND stands.pattern >= 0;

CREATE VIEW table_rows AS               -- the table as it is now: row by row, noise left out
SELECT
    rows.id                             AS id,
    rows.cells                          AS cells,
    rows.given                          AS given,
    rows.confidence                     AS confidence,
    coalesce(marked.word, '')           AS mark,
    strftime('%Y-%m-%dT%H:%M:%fZ', rows.found_at, 'unixepoch') AS found_at,
    count(DISTINCT stands.page)         AS pages,
    count(DISTINCT links.host)          AS hosts
FROM rows
LEFT JOIN marked ON marked.row = rows.id
LEFT JOIN stands ON stands.row = rows.id AND stands.pattern NOT IN (SELECT pattern FROM struck)
LEFT JOIN links ON links.id = stands.page
WHERE coalesce(marked.word, '') != 'noise'
GROUP BY rows.id
HAVING rows.given OR max(stands.pattern) >= 0;

CREATE VIEW links_readable AS           -- links with words instead of numbers
SELECT
    links.id                            AS id,
    links.url                           AS url,
    CASE links.kind WHEN 0 THEN 'page' WHEN 1 THEN 'robots' WHEN 2 THEN 'sitemap' ELSE 'feed' END AS kind,
    CASE links.state WHEN 0 THEN 'open' WHEN 1 THEN 'done' WHEN 2 THEN 'failed' ELSE 'refused' END AS state,
    links.reason                        AS reason,
    links.score                         AS score,
    links.tries                         AS tries,
    links.depth                         AS depth,
    links.anchor                        AS anchor,
    links.context                       AS context,
    links.path                          AS path,
    links.place / 1000 % 1000 / 999.0   AS x,
    links.place % 1000 / 999.0          AS y,
    links.parent                        AS parent,
    hosts.origin                        AS host
FROM links JOIN hosts ON hosts.id = links.host;

CREATE VIEW links_open AS               -- what is still to be fetched, best first
SELECT id, url, kind, score, tries, reason, depth, anchor, parent, host
FROM links_readable
WHERE id IN (SELECT id FROM links WHERE state = 0)
ORDER BY score DESC, id;
"""
