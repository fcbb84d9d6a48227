"""A page without a browser: the messages that a browser sends, and any others."""

import asyncio
import base64
import gzip
import json
import re
from http.cookiejar import CookieJar
from urllib.request import HTTPCookieProcessor, build_opener

from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect


class Page:
    """A socket of a page, without a browser that keeps to the rules."""

    async def open(self, url):
        cookies = CookieJar()
        asked = build_opener(HTTPCookieProcessor(cookies))
        html = await asyncio.to_thread(lambda: asked.open(url).read().decode())
        token = re.search(r'"token":\s*"([^"]+)"', html)[1]
        host = re.search(r"//([^/]+)/", url)[1]
        heads = {"Origin": f"http://{host}"}
        heads["Cookie"] = "; ".join(f"{each.name}={each.value}" for each in cookies)
        self._socket = await websocket_connect(
            HTTPRequest(f"ws://{host}/main/ws", headers=heads),
            subprotocols=["bokeh", token],
            max_message_size=1 << 30,
        )
        self._socket.protocol.set_nodelay(True)  # each message has three parts
        await self.hear("ACK")
        return self

    async def send(self, kind, content, **head):
        head = {"msgid": "1", "msgtype": kind, **head}
        content = content if isinstance(content, str) else json.dumps(content)
        for part in (json.dumps(head), "{}", content):
            await self._socket.write_message(part)

    async def hear(self, *kinds):
        """Return the kind and the content of the next message of these kinds, None at the end."""
        while (head := await self._socket.read_message()) is not None:
            head = json.loads(head)
            parts = [await self._socket.read_message() for _ in range(2)]
            for _ in range(2 * head.get("num_buffers", 0)):
                await self._socket.read_message()
            if head["msgtype"] in kinds:
                return head["msgtype"], json.loads(parts[1])
        return None

    async def pull(self):
        await self.send("PULL-DOC-REQ", {})
        return (await self.hear("PULL-DOC-REPLY"))[1]["doc"]

    async def patch(self, *events):
        await self.send("PATCH-DOC", {"events": events})
        return await self.hear("OK", "ERROR")

    async def change(self, model, **values):
        """Change properties of a model, all at once."""
        return await self.patch(
            *(
                {"kind": "ModelChanged", "model": {"id": model}, "attr": attr, "new": value}
                for attr, value in values.items()
            )
        )

    async def tell(self, event, **values):
        """Send an event, such as a click of a ``model``."""
        data = {"type": "event", "name": event, "values": values}
        return await self.patch(
            {"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": data}
        )

    def close(self):
        self._socket.close()


def packed(content):
    """Return bytes as they are sent within a message."""
    return {"type": "bytes", "data": base64.b64encode(gzip.compress(content)).decode()}


def models(value):
    """Yield name, id and attributes of the models in a document."""
    if isinstance(value, dict) and value.get("type") == "object" and "id" in value:
        yield value["name"], value["id"], value.get("attributes", {})
    for each in value.values() if isinstance(value, dict) else value:
        if isinstance(each, dict | list):
            yield from models(each)
