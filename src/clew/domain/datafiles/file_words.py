"""Extensions, media types and link words of data files."""

DATA = {
    "csv": 0.95, "tsv": 0.95, "xls": 0.95, "xlsx": 0.95, "ods": 0.95, "dta": 0.99, "sav": 0.99, "rds": 0.9,
    "parquet": 0.97, "px": 0.99, "sdmx": 0.97, "arrow": 0.95, "sas": 0.99, "dbf": 0.7, "dat": 0.35,
    "json": 0.12, "xml": 0.06, "zip": 0.15, "txt": 0.03,
}  # fmt: skip
"""Kinds of files that hold tables, with the chance that such a file is data."""

STRICT = frozenset(kind for kind, chance in DATA.items() if chance >= 0.7)  # noqa: PLR2004 - see below
"""Kinds that are nearly always data; the others need a supporting word."""

OTHER = frozenset(
    {"pdf", "doc", "docx", "ppt", "pptx", "odt", "odp", "epub", "png", "jpg", "mp3", "mp4", "html"}
)
"""Kinds that hold no tables; `files:pdf` looks for them."""

ALIASES = {
    "tab": "tsv", "xlsm": "xlsx", "xlsb": "xlsx", "xlt": "xls", "fods": "ods", "por": "sav", "zsav": "sav",
    "rda": "rds", "rdata": "rds", "sas7bdat": "sas", "xpt": "sas", "feather": "arrow", "jsonl": "json",
    "ndjson": "json", "geojson": "json", "jpeg": "jpg", "htm": "html", "xhtml": "html", "sdmx-ml": "sdmx",
    "sdmx-json": "sdmx", "sdmxml": "sdmx", "excel": "xls", "stata": "dta", "spss": "sav", "pcaxis": "px",
    "pc-axis": "px", "json-stat": "json", "pqt": "parquet", "calc": "ods",
}  # fmt: skip

PACKED = ("gz", "bz2", "xz", "zst", "zip", "7z", "rar")

TYPES = {
    "text/csv": "csv", "application/csv": "csv", "text/x-csv": "csv", "application/x-csv": "csv",
    "text/comma-separated-values": "csv", "text/tab-separated-values": "tsv",
    "application/vnd.ms-excel": "xls",
    "application/msexcel": "xls", "application/x-msexcel": "xls", "application/excel": "xls",
    "application/x-excel": "xls", "application/vnd.ms-excel.sheet.macroenabled.12": "xlsx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.oasis.opendocument.spreadsheet": "ods", "application/x-stata": "dta",
    "application/x-stata-dta": "dta", "application/x-spss-sav": "sav", "application/x-spss": "sav",
    "application/vnd.apache.parquet": "parquet", "application/x-parquet": "parquet", "text/x-pcaxis": "px",
    "application/x-pcaxis": "px", "application/px": "px", "application/vnd.apache.arrow.file": "arrow",
    "application/x-sas-data": "sas", "application/x-dbf": "dbf", "application/dbase": "dbf",
    "application/json": "json", "application/geo+json": "json", "application/x-ndjson": "json",
    "application/xml": "xml", "text/xml": "xml", "application/zip": "zip",
    "application/x-zip-compressed": "zip",
    "application/pdf": "pdf", "application/msword": "doc", "application/epub+zip": "epub",
    "text/html": "html",
    "application/xhtml+xml": "html", "image/png": "png", "image/jpeg": "jpg", "audio/mpeg": "mp3",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
}  # fmt: skip

SPEAKING = (
    "data", "dataset", "statist", "census", "survey", "indicator", "time series", "timeseries", "microdata",
    "stats", "daten", "zensus", "zeitreihe", "donnée", "donnee", "recensement", "datos", "estad", "dados",
    "dati",
    "統計", "データ", "調査", "集計", "時系列", "数据", "统计", "статист", "данны",
)  # fmt: skip
"""Words that indicate data where the name of a file is ambiguous."""

SOFTWARE = (
    "/releases/", "/archive/", "/refs/", "/zipball", "master.zip", "main.zip", "-src", "source", "setup",
    "install", "-win", "win32", "win64", "x86", "amd64", "linux", "macos", "plugin", "theme", "font", "icon",
    "-js", "-php", "wordpress", "driver", "firmware", "sdk", "photo", "image", "slides", "bootstrap", "node_",
)  # fmt: skip

OWN = (
    "/wp-json", "/api/", "manifest", "package.json", "feed", "search", "oembed", "/ajax", "config", "locale",
    "i18n", "/_next/", "sitemap", "rss", "atom", "opensearch", "crossdomain", "wlwmanifest", "swagger",
    "schema",
)  # fmt: skip
"""Signs of files that a site uses for its own programs."""

FORMATS = frozenset({
    "format", "fmt", "output", "outputformat", "output_format", "type", "filetype", "file_type", "fileformat",
    "export", "exportformat", "exporttype", "ext", "extension", "f", "download", "contenttype", "mime", "as",
    "downloadformat", "dl", "accept", "wt", "_format", "downloadtype", "tofile",
})  # fmt: skip
"""Names of query parameters that select a format."""

ENDPOINTS = (
    "download",
    "export",
    "file-download",
    "filedownload",
    "getfile",
    "attachment",
    "/dl/",
    "bitstream",
)
"""Parts of URLs that serve files; the link text then names their kind."""
