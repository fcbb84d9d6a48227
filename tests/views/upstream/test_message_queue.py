import asyncio

import pytest
from bokeh.document import Document
from panel.io import document as io

from ccviz.views import upstream


class Socket:
    """A browser's end of the line, which keeps what it is sent until it is read."""

    def __init__(self):
        self.sent, self.reading = [], []

    def take(self, message):
        self.sent.append(message)
        self.reading.append(asyncio.get_running_loop().create_future())
        return [self.reading[-1]]

    def read(self):
        self.reading.pop(0).set_result(None)


class Connection:
    """As a server holds it: messages are the lists of their events."""

    def __init__(self):
        self._socket, self.protocol = Socket(), self

    def create(self, kind, events):
        return events


@pytest.fixture
def connection(monkeypatch):
    """Return a connection whose socket Panel writes to by queued messages."""
    monkeypatch.setattr(io, "_dispatch_msgs", upstream._send_queued)  # whoever came before
    monkeypatch.setitem(
        io.extra_socket_handlers, Socket, lambda connection, events=None, msg=None: (
            connection._socket.take(msg)
        ),
    )  # fmt: skip
    return Connection()


async def queue_as_a_task_ends(connection):
    """Queue a message in the moment in which the task that sent the one before ends."""
    page = Document()
    io.schedule_write_events(page, [connection], ["run began"])
    while not connection._socket.reading:
        await asyncio.sleep(0)
    connection._socket.read()
    io.schedule_write_events(page, [connection], ["run ended"])
    while asyncio.all_tasks() - {asyncio.current_task()}:
        if connection._socket.reading:
            connection._socket.read()
        await asyncio.sleep(0)


def test_panel_leaves_a_message_behind_that_is_queued_as_its_task_ends(connection):
    asyncio.run(queue_as_a_task_ends(connection))
    assert connection._socket.sent == [["run began"]]  # if both are sent, the workaround can go


def test_a_message_is_sent_that_is_queued_as_the_task_ends(connection):
    upstream.send_all()
    asyncio.run(queue_as_a_task_ends(connection))
    assert connection._socket.sent == [["run began"], ["run ended"]]


def test_a_panel_without_this_queue_is_left_alone(monkeypatch):
    monkeypatch.delattr(io, "_WRITE_BLOCK")
    monkeypatch.setattr(io, "_dispatch_msgs", "of another kind")
    upstream.send_all()
    assert io._dispatch_msgs == "of another kind"
