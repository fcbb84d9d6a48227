"""Bokeh believes what a page sends, however large it says that it is.

Defect: a string of bytes is decompressed whatever comes out of it, so a message of 1 MB takes 1 GB;
an array may have any type, one of a gigabyte a number among them; and a message may have buffers
without end. What fails is answered with the traceback, which has paths of the server.
Seen in: Bokeh 3.9.2.
Upstream: no issue found.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from typing import Any

from bokeh.core.serialization import Deserializer
from bokeh.protocol.exceptions import ProtocolError
from bokeh.protocol.receiver import Receiver
from bokeh.server.connection import ServerConnection
from bokeh.server.views import ws

MOST_BYTES = 64 << 20  # of one message, and of what is decompressed in it
_TYPES = frozenset((
    "bool", "object", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16",
    "uint32", "uint64",
))  # fmt: skip

_decode_bytes = Deserializer._decode_bytes
_decode_ndarray = Deserializer._decode_ndarray


def limit_pages() -> None:
    """Refuse messages of pages that would take much memory, for all pages of this server."""
    patched: Any = (Deserializer, ServerConnection, ws)
    patched[0]._decode_bytes, patched[0]._decode_ndarray = _bytes_in_limits, _known_array
    patched[1].error = _without_traceback
    patched[2].Receiver = LimitedReceiver


class LimitedReceiver(Receiver):
    """A receiver of messages that are not larger than `MOST_BYTES`."""

    _held = 0

    async def consume(self, fragment: str | bytes) -> Any:
        """Take the next piece of a message; return the message if it is whole."""
        self._held += len(fragment)
        if self._held > MOST_BYTES:
            raise ProtocolError("a message is too large")
        message = await super().consume(fragment)
        if message is not None:
            self._held = 0
        return message


def _bytes_in_limits(self: Deserializer, obj: Any) -> Any:
    data = obj["data"]
    if not isinstance(data, str):
        return _decode_bytes(self, obj)
    inflater = zlib.decompressobj(wbits=31)  # gzip
    try:
        found = inflater.decompress(base64.b64decode(data), MOST_BYTES)
    except (zlib.error, binascii.Error) as broken:
        raise ValueError("bytes cannot be decompressed") from broken
    if not inflater.eof:
        self.error("bytes are too large, or break off")
    return found


def _known_array(self: Deserializer, obj: Any) -> Any:
    if obj["dtype"] not in _TYPES:
        self.error("an array is of no known type")
    return _decode_ndarray(self, obj)


def _without_traceback(self: ServerConnection, message: Any, text: str) -> Any:
    answer = self.protocol.create("ERROR", message.header["msgid"], text.partition("(")[0])
    answer.content["traceback"] = None
    return answer
