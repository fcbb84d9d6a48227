"""A page whose server goes says so, and comes back to its run when the server does."""

import pytest

from tests.app.driver import ENDLESS, Lab, Server
from tests.patience import wait_until

pytestmark = pytest.mark.browser


def test_a_page_comes_back_to_its_run(new_page, picture, tmp_path):
    server, page = Server(tmp_path), new_page()
    try:
        lab = Lab(page, f"{server.url}{ENDLESS}")
        lab.press("Run")
        wait_until(lambda: len(set(lab.labels())) == 3)
        with server.archive() as archive:
            (info,) = archive.runs()
            server.kill()
            gone = page.get_by_role("alert").filter(has_text="The connection to the server is lost")
            gone.wait_for()
            assert "If it has ended, the run ends by itself" in gone.text_content()
            picture(page, "gone")
            assert not page.get_by_text("Something went wrong").count()
            wait_until(lambda: archive.info(info.id).termination == "interrupted")
        server.start()
        page.get_by_text(f"The page has come back. The run {info.name} was stopped").wait_for()
        wait_until(lambda: len(set(lab.labels())) == 3)
        assert f"run={info.id}" in page.url
        assert "cl=0-60" in page.url
        assert not gone.count()
    finally:
        server.close()
