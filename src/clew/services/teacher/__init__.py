"""A teacher for hire: a language model that labels the pages whose labels help most."""
