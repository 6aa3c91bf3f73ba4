"""The states of the United States: names, short forms, and the postal codes they have."""

STATES = {
    "AL": "Alabama", "AK": "Alaska", "AZ": "Arizona", "AR": "Arkansas", "CA": "California", "CO": "Colorado",
    "CT": "Connecticut", "DE": "Delaware", "DC": "District of Columbia", "FL": "Florida", "GA": "Georgia",
    "HI": "Hawaii", "ID": "Idaho", "IL": "Illinois", "IN": "Indiana", "IA": "Iowa", "KS": "Kansas",
    "KY": "Kentucky", "LA": "Louisiana", "ME": "Maine", "MD": "Maryland", "MA": "Massachusetts",
    "MI": "Michigan", "MN": "Minnesota", "MS": "Mississippi", "MO": "Missouri", "MT": "Montana",
    "NE": "Nebraska", "NV": "Nevada", "NH": "New Hampshire", "NJ": "New Jersey", "NM": "New Mexico",
    "NY": "New York", "NC": "North Carolina", "ND": "North Dakota", "OH": "Ohio", "OK": "Oklahoma",
    "OR": "Oregon", "PA": "Pennsylvania", "PR": "Puerto Rico", "RI": "Rhode Island", "SC": "South Carolina",
    "SD": "South Dakota", "TN": "Tennessee", "TX": "Texas", "UT": "Utah", "VT": "Vermont", "VA": "Virginia",
    "WA": "Washington", "WV": "West Virginia", "WI": "Wisconsin", "WY": "Wyoming",
}  # fmt: skip

SHORT = {
    "Ala": "AL", "Ariz": "AZ", "Ark": "AR", "Calif": "CA", "Cal": "CA", "Colo": "CO", "Conn": "CT", "Del":
    "DE", "Fla": "FL", "Ill": "IL", "Ind": "IN", "Kan": "KS", "Ky": "KY", "Mass": "MA", "Md": "MD", "Mich":
    "MI", "Minn": "MN", "Miss": "MS", "Mo": "MO", "Mont": "MT", "Neb": "NE", "Nev": "NV", "Okla": "OK",
    "Ore": "OR", "Pa": "PA", "Tenn": "TN", "Tex": "TX", "Va": "VA", "Vt": "VT", "Wash": "WA", "Wis": "WI",
    "Wyo": "WY", "D.C": "DC", "N.Y": "NY", "N.J": "NJ", "N.C": "NC", "S.C": "SC", "N.M": "NM", "N.H": "NH",
    "R.I": "RI",
}  # fmt: skip
"""Forms of older papers; a full stop may follow."""

_RANGES = """
AL 350-369 AK 995-999 AZ 850-865 AR 716-729 CA 900-961 CO 800-816 CT 060-069 DE 197-199 DC 200-205 DC
569-569 FL 320-349 GA 300-319 GA 398-399 HI 967-968 ID 832-838 IL 600-629 IN 460-479 IA 500-528 KS 660-679
KY 400-427 LA 700-714 ME 039-049 MD 206-219 MA 010-027 MA 055-055 MI 480-499 MN 550-567 MS 386-397 MO
630-658 MT 590-599 NE 680-693 NV 889-898 NH 030-038 NJ 070-089 NM 870-884 NY 100-149 NY 005-005 NY 063-063
NC 270-289 ND 580-588 OH 430-459 OK 730-749 OR 970-979 PA 150-196 PR 006-009 RI 028-029 SC 290-299 SD
570-577 TN 370-385 TX 750-799 TX 885-885 TX 733-733 UT 840-847 VT 050-059 VA 220-246 VA 201-201 WA 980-994
WV 247-268 WI 530-549 WY 820-831
"""
_WORDS = _RANGES.split()

PREFIXES = frozenset(
    (state, prefix)
    for state, span in zip(_WORDS[::2], _WORDS[1::2], strict=True)
    for prefix in range(int(span[:3]), int(span[4:]) + 1)
)
"""States by the first three digits of their postal codes."""
