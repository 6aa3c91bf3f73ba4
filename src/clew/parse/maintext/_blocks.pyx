# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Read the blocks of a page, compiled: what `blocks` says in plain Python, on the nodes of the parser themselves.

Tests compare the two.
"""

from cpython.array cimport array, clone
from cpython.unicode cimport PyUnicode_DecodeASCII, PyUnicode_DecodeUTF8
from libc.stdint cimport int64_t, uint8_t, uintptr_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memcpy

from clew.parse._lexbor cimport Attribute, Element, Name, Node, Text

cdef enum Use:  # of a tag, as in `blocks`
    SKIP, FLOW, LINK, BREAK, TEXT, PRE, UNREAD, HOLD

cdef enum:
    ELEMENT = 1  # types of nodes
    TAGS = 256  # numbers of tags that lexbor knows are below
    NAMES = 4096  # numbers of attributes that it knows are below; others are addresses
    WIDTH = 8
    END = 6
    LINE = 0x1E

cdef array LONGS = array("q")


cdef struct Place:
    int64_t holder, chain, depth
    bint linked


cdef class Growing:
    """Memory that grows."""

    cdef char *data
    cdef size_t used, room

    def __dealloc__(self):
        free(self.data)

    cdef int need(self, size_t more) except -1:
        cdef char *data
        if self.used + more > self.room:
            self.room = 2 * (self.used + more) + 256
            data = <char *> realloc(self.data, self.room)
            if data == NULL:
                raise MemoryError
            self.data = data
        return 0

    cdef int put(self, const void *data, size_t size) except -1:
        self.need(size)
        memcpy(self.data + self.used, data, size)
        self.used += size
        return 0

    cdef int number(self, int64_t value) except -1:
        return self.put(&value, sizeof(value))

    cdef array numbers(self):
        cdef array found = clone(LONGS, self.used // sizeof(int64_t), False)
        if self.used:
            memcpy(found.data.as_chars, self.data, self.used)
        return found


cdef inline bint _is_blank(uint8_t letter) noexcept:
    """Tell whether Python counts a letter of ASCII as white space."""
    return letter == 0x20 or 0x09 <= letter <= 0x0D or 0x1C <= letter <= 0x1F


cdef bint _is_empty(const Text *text) noexcept:
    """Tell whether a text is nothing but white space, as HTML has it."""
    cdef size_t at
    cdef uint8_t letter
    for at in range(text.length):
        letter = text.data[at]
        if letter != 0x20 and letter != 0x0A and letter != 0x09 and letter != 0x0C and letter != 0x0D:
            return False
    return True


cdef bint _is_ascii(const Text *text) noexcept:
    cdef size_t at
    cdef uint8_t above = 0
    for at in range(text.length):
        above |= text.data[at]
    return above < 0x80


cdef int64_t _letters(const Text *text) noexcept:
    """Count the letters of a text in UTF-8: all bytes but those that continue a letter."""
    cdef size_t at
    cdef int64_t letters = 0
    for at in range(text.length):
        letters += (text.data[at] & 0xC0) != 0x80
    return letters


cdef bint _has_single_blanks(const uint8_t *text, size_t length) noexcept:
    """Tell that all white space of a text is single blanks, none at its ends: in a loop without a branch."""
    cdef uint8_t other = 0
    cdef size_t at
    if text[0] == 0x20 or text[length - 1] == 0x20:
        return False
    for at in range(length - 1):
        other |= (text[at] < 0x20) | ((text[at] == 0x20) & (text[at + 1] == 0x20))
    return not other and text[length - 1] >= 0x20


cdef inline str _decoded(const void *data, size_t length):
    return PyUnicode_DecodeUTF8(<const char *> data, length, "replace")


cdef inline str _value(const Attribute *attribute):
    return "" if attribute.value == NULL else _decoded(attribute.value.data, attribute.value.length)


cdef inline bint _is_named(const Attribute *attribute, const char *name, size_t length) noexcept:
    """Tell whether an attribute that lexbor does not know by number has this name."""
    cdef const Name *entry = <const Name *> attribute.node.local_name
    return attribute.node.local_name >= NAMES and entry.length == length and not memcmp(entry, name, length)


cdef class BlockReader:
    """Reads blocks by the tables of `blocks`: how tags are used, their numbers and flags, names and roles.

    `known` are lexbor's numbers of the attributes class, id and style.
    """

    cdef uint8_t[TAGS] uses
    cdef int64_t[TAGS] tags
    cdef int64_t[TAGS] flags
    cdef object bits_of, flags_of
    cdef int64_t hidden, name_bits, most
    cdef uintptr_t class_, id_, style

    def __init__(self, uses, meanings, bits_of, flags_of, int64_t hidden, int64_t name_bits, int64_t most, known):
        cdef int at
        for at in range(TAGS):
            self.uses[at] = uses.get(at, HOLD)
            self.tags[at], self.flags[at] = meanings.get(at, (0, 0))
        self.bits_of, self.flags_of, self.hidden = bits_of, flags_of, hidden
        self.name_bits, self.most = name_bits, most
        self.class_, self.id_, self.style = known

    def read(self, uintptr_t address):
        """Return texts, their holders, letters in links, links, rows of holders, addresses of unread elements."""
        cdef _Reading reading = _Reading(self)
        reading.read(<const Node *> address)
        return (
            reading.texts, reading.held.numbers(), reading.linked.numbers(), reading.links.numbers(),
            reading.rows.numbers(), reading.unread,
        )

    cdef inline int use(self, const Node *node) noexcept:
        return self.uses[node.local_name] if node.local_name < TAGS else HOLD


cdef class _Reading:
    cdef BlockReader tables
    cdef list texts, unread, names
    cdef Growing held, linked, links, rows, path, places
    cdef Growing text, out
    cdef bint is_ascii
    cdef int64_t now_linked, now_links, holder

    def __init__(self, BlockReader tables):
        self.tables = tables
        self.texts, self.unread, self.names = [], [], [""]
        self.held, self.linked, self.links, self.rows = Growing(), Growing(), Growing(), Growing()
        self.path, self.places, self.text, self.out = Growing(), Growing(), Growing(), Growing()
        self.is_ascii = True

    cdef inline size_t depth(self) noexcept:
        return self.path.used // sizeof(void *)

    cdef inline size_t placed(self) noexcept:
        return self.places.used // sizeof(Place)

    cdef inline Place *last_place(self) noexcept:
        return <Place *> (self.places.data + self.places.used - sizeof(Place))

    cdef int read(self, const Node *root) except -1:
        cdef Place top = Place(0, 0, 0, False)
        cdef const Node *node = root.first_child
        cdef int64_t number
        cdef int use, at
        for at in range(WIDTH):
            self.rows.number(0)
        self.path.put(&root, sizeof(root))
        self.places.put(&top, sizeof(top))
        while self.path.used:
            if node == NULL:  # all children of the last element of the path are read
                self.path.used -= sizeof(node)
                node = (<const Node **> (self.path.data + self.path.used))[0]
                if self.placed() > self.depth() + 1:
                    number = self.last_place().holder
                    self.places.used -= sizeof(Place)
                    if number != self.last_place().holder:
                        self.flush()
                        (<int64_t *> self.rows.data)[number * WIDTH + END] = len(self.texts)
                node = node.next if self.path.used else NULL
                continue
            use = self.tables.use(node)
            if use == TEXT:
                self.read_text(<const Text *> node)
            elif use == BREAK:
                if self.text.used:
                    self.put_letter(LINE)
            elif use == UNREAD:
                self.unread.append(<uintptr_t> node)
            elif use != SKIP:
                if use >= PRE:
                    self.flush()
                if use != PRE:
                    if use == FLOW and self.placed() > self.depth():
                        self.places.need(sizeof(Place))
                        self.places.put(self.last_place(), sizeof(Place))
                    self.path.put(&node, sizeof(node))
                    node = node.first_child
                    continue
                self.read_preformatted(node)
            node = node.next
        (<int64_t *> self.rows.data)[END] = len(self.texts)
        return 0

    cdef int read_text(self, const Text *text) except -1:
        cdef Place *place
        if _is_empty(text):
            if self.text.used:
                self.put_letter(0x20)
            return 0
        if self.placed() <= self.depth():
            self.now_links += self.place()
        place = self.last_place()
        self.holder = place.holder
        if self.is_ascii:
            self.is_ascii = _is_ascii(text)
        self.text.put(text.data, text.length)
        if place.linked:
            self.now_linked += _letters(text)
        return 0

    cdef int put_letter(self, char letter) except -1:
        return self.text.put(&letter, 1)

    cdef int64_t place(self) except -1:
        """Place the elements of the path that are not placed yet; return how many of them are links."""
        cdef int64_t links = 0
        cdef Place place = self.last_place()[0]
        cdef size_t at
        cdef const Node *node
        cdef int use
        for at in range(self.placed() - 1, self.depth()):
            node = (<const Node **> self.path.data)[at]
            use = self.tables.use(node)
            if use == LINK:
                place.linked = True
                links += 1
            elif use != FLOW and self.rows.used < <size_t> self.tables.most * WIDTH * sizeof(int64_t):
                self.hold(node, &place)
            self.places.put(&place, sizeof(place))
        return links

    cdef int hold(self, const Node *node, Place *place) except -1:
        """Make an element a holder, and the place the one of its text."""
        cdef BlockReader tables = self.tables
        cdef int64_t tag = 0, bits = 0, first = len(self.texts)
        cdef str name
        if node.local_name < TAGS:
            tag, bits = tables.tags[node.local_name], tables.flags[node.local_name]
        name = ""
        if node.type == ELEMENT and (<const Element *> node).first_attribute != NULL:
            name, flags = self.stated((<const Element *> node).first_attribute)
            bits |= flags
            bits |= <int64_t> tables.bits_of[name] << tables.name_bits
        self.rows.number(place.holder)
        self.rows.number(tag)
        self.rows.number(bits)
        place.chain |= bits
        place.depth += 1
        self.rows.number(place.chain)
        self.rows.number(place.depth)
        self.rows.number(first)
        self.rows.number(first)
        self.rows.number(hash((tag, name, self.names[place.holder])))
        place.holder = self.rows.used // (WIDTH * sizeof(int64_t)) - 1
        self.names.append(name)
        return 0

    cdef tuple stated(self, const Attribute *attribute):
        """Return the names of an element, and its flags by role and visibility."""
        cdef BlockReader tables = self.tables
        cdef str name = "", id = "", part = "", role = "", style = ""
        cdef int64_t flags = 0
        cdef bint unseen = False
        while attribute != NULL:
            if attribute.node.local_name == tables.class_:
                name = _value(attribute)
            elif attribute.node.local_name == tables.id_:
                id = _value(attribute)
            elif attribute.node.local_name == tables.style:
                style = _value(attribute)
            elif _is_named(attribute, b"itemprop", 8):
                part = _value(attribute)
            elif _is_named(attribute, b"role", 4):
                role = _value(attribute)
            elif _is_named(attribute, b"hidden", 6):
                unseen = True
            elif _is_named(attribute, b"aria-hidden", 11):
                unseen |= _value(attribute) == "true"
            attribute = attribute.next
        if id:
            name = f"{name} {id}"
        if part:
            name = f"{name} {part}"
        if role:
            flags = tables.flags_of.get(role, 0)
        if unseen or ("none" in style and "display:none" in style.replace(" ", "")):
            flags |= tables.hidden
        return name, flags

    cdef int flush(self) except -1:
        """Add what was read as a block, unless it is empty."""
        cdef str text
        if not self.text.used:
            return 0
        if self.is_ascii:
            text = self.ascii_text()
        else:
            text = _decoded(self.text.data, self.text.used)
            if "\x1e" in text:
                text = "\n".join(filter(None, [" ".join(row.split()) for row in text.split("\x1e")]))
            else:
                text = " ".join(text.split())
        if text:
            self.add(text, self.holder, min(self.now_linked, len(text)), self.now_links)
        self.text.used, self.now_linked, self.now_links, self.is_ascii = 0, 0, 0, True
        return 0

    cdef str ascii_text(self):
        """Return the text with single blanks, and line breaks where the page has some."""
        cdef const uint8_t *letters = <const uint8_t *> self.text.data
        cdef uint8_t *out
        cdef size_t at, used = 0
        cdef char gap = 0
        if _has_single_blanks(letters, self.text.used):
            return PyUnicode_DecodeASCII(self.text.data, self.text.used, NULL)
        self.out.used = 0
        self.out.need(self.text.used)
        out = <uint8_t *> self.out.data
        for at in range(self.text.used):
            if _is_blank(letters[at]):
                if letters[at] == LINE:
                    gap = 0x0A
                elif not gap:
                    gap = 0x20
            else:
                if gap and used:
                    out[used] = gap
                    used += 1
                gap = 0
                out[used] = letters[at]
                used += 1
        return PyUnicode_DecodeASCII(<char *> out, used, NULL)

    cdef int add(self, str text, int64_t holder, int64_t linked, int64_t links) except -1:
        self.texts.append(text)
        self.held.number(holder)
        self.linked.number(linked)
        self.links.number(links)
        return 0

    cdef int read_preformatted(self, const Node *node) except -1:
        cdef str text = self.preformatted(node)
        cdef Place place
        if text:
            self.now_links += self.place()
            place = self.last_place()[0]
            self.hold(node, &place)
            self.add(text, place.holder, 0, 0)
            (<int64_t *> self.rows.data)[place.holder * WIDTH + END] = len(self.texts)
        return 0

    cdef str preformatted(self, const Node *root):
        """Return the text of an element whose white space counts."""
        cdef list parts = []
        cdef const Node *node = root
        cdef int use
        while True:
            use = self.tables.use(node)
            if use == TEXT:
                parts.append(_decoded((<const Text *> node).data, (<const Text *> node).length))
            elif use == BREAK or (use >= PRE and parts and not parts[len(parts) - 1].endswith("\n")):
                parts.append("\n")
            if node.first_child != NULL:
                node = node.first_child
                continue
            while node != root and node.next == NULL:
                node = node.parent
            if node == root:
                break
            node = node.next
        return "".join(parts).strip("\n").rstrip()


def has_expected_layout(uintptr_t address, parents_and_children, texts):
    """Tell whether the nodes of the installed parser lie in memory as `_lexbor` says.

    `address` is an element with a class; `parents_and_children` are the addresses of its parent, of its first and
    last child, and of the element next to it; `texts` the address of a text with its length and number of tag.
    """
    cdef const Node *node = <const Node *> address
    cdef const Text *text
    cdef const Attribute *attribute
    cdef uintptr_t at
    parent, first, last, following = parents_and_children
    if (<uintptr_t> node.parent != parent or <uintptr_t> node.first_child != first
            or <uintptr_t> node.last_child != last or <uintptr_t> node.next != following or node.type != ELEMENT):
        return False
    at, length, tag = texts
    text = <const Text *> at
    if text.node.local_name != tag or text.length != length or text.node.type != 3:
        return False
    attribute = (<const Element *> node).first_attribute
    return attribute != NULL and attribute.node.type == 2 and <uintptr_t> attribute.owner == address


def attribute_numbers(uintptr_t address):
    """Return the numbers of the attributes of an element."""
    cdef const Attribute *attribute = (<const Element *> address).first_attribute
    found = []
    while attribute != NULL:
        found.append(attribute.node.local_name)
        attribute = attribute.next
    return found
