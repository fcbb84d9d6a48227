"""Backend of a workforce: the workers of a Dask scheduler."""

from __future__ import annotations

import logging
from concurrent.futures import CancelledError, Executor
from contextlib import suppress
from typing import Any

from ccviz.errors import ParameterError

_CONNECT_S = 5.0
"""Seconds to wait for a scheduler."""
_MOST_LOSSES = 2
"""Losses in a row after which no more executors are opened."""


class DaskWorkers:
    """The workers of a Dask scheduler, which replaces lost workers itself.

    Parameters
    ----------
    address : str
        Address of the scheduler.
    return_s : float
        Seconds to wait for a lost scheduler to return, and for its first worker.
    """

    _client: Any = None
    _scheduler = ""

    def __init__(self, address: str, return_s: float = 15.0) -> None:
        from distributed.scheduler import KilledWorker

        self._address, self._return_s = address, return_s
        self.what = f"The Dask scheduler at {address} or its workers"
        self.losses: tuple[type[BaseException], ...] = (CancelledError, KilledWorker)
        self.refusals: tuple[type[BaseException], ...] = (OSError, RuntimeError)
        try:
            self._connect(_CONNECT_S)
        except (OSError, TimeoutError, ValueError) as broken:
            raise ParameterError(f"no Dask scheduler answers at {address}: {broken}.") from None
        self.size: int = sum(self._client.nthreads().values())
        if self.size == 0:
            self.close()
            raise ParameterError(f"the Dask scheduler at {address} has no workers.")

    def open(self, losses: int) -> Executor | None:
        """Return an executor after a number of losses in a row; None if there will be no more."""
        if losses > _MOST_LOSSES:
            return None
        try:
            if losses:
                self._connect(self._return_s)
                self._client.wait_for_workers(1, timeout=self._return_s)
        except (OSError, TimeoutError, ValueError):
            self.close()
            return None
        executor: Executor = self._client.get_executor()
        self._scheduler = self._id()
        return executor

    def has_changed(self) -> bool:
        """Return whether the workers were replaced by others, which know none of the tasks."""
        # A client reconnects by itself, perhaps to another scheduler, which does not know the tasks
        # that were submitted before: their results would never come.
        return self._id() not in ("", self._scheduler)

    def _id(self) -> str:
        """Return the id of the scheduler that answers; an empty text if none does."""
        with suppress(OSError, TimeoutError):
            return str(self._client.scheduler_info(n_workers=0).get("id", ""))
        return ""

    def close(self) -> None:
        """End the workers, without waiting for their tasks."""
        if self._client is not None:
            with suppress(OSError, TimeoutError):
                self._client.close()
            self._client = None

    def _connect(self, patience_s: float) -> None:
        from distributed import Client

        # A lost scheduler is reported in our own sentence instead.
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
        self._client = Client(self._address, timeout=patience_s)
