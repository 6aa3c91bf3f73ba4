# The nodes of lexbor, the parser inside selectolax, as they lie in memory. `_dom_layout` checks at import that the
# installed version has this layout; nothing is read through these structures before that.

from libc.stdint cimport uint8_t, uintptr_t

cdef struct Node:
    void *events
    uintptr_t local_name
    uintptr_t prefix
    uintptr_t ns
    void *document
    Node *next
    Node *prev
    Node *parent
    Node *first_child
    Node *last_child
    void *user
    long type

cdef struct Text:
    Node node
    const uint8_t *data
    size_t length

cdef struct String:
    const uint8_t *data
    size_t length

cdef struct Attribute:
    Node node
    uintptr_t upper_name
    uintptr_t qualified_name
    String *value
    void *owner
    Attribute *next

cdef struct Element:
    Node node
    uintptr_t upper_name
    uintptr_t qualified_name
    void *is_value
    Attribute *first_attribute

cdef struct Name:
    char text[24]
    size_t length
