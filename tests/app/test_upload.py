"""A file on its way to the page: its share is shown, and what is too large is refused in words."""

import pytest

pytestmark = pytest.mark.browser

# Every text that the field for tables shows from now on.
_RECORD = """(field) => {
    window.shown = []
    const words = field.querySelector("[role=status]")
    new MutationObserver(() => window.shown.push(words.textContent))
        .observe(words, {childList: true, characterData: true, subtree: true})
}"""


def test_a_table_of_several_parts_shows_its_share_and_opens_its_sheet(lab):
    field = lab.page.locator(".table-file .drop-zone")
    asks = field.get_by_role("status").inner_text()
    field.evaluate(_RECORD)
    lab.upload("wide.csv", b"a,b\n1,2\n3,4\n" + b"5.5000000000000000,6.25\n" * 100_000)
    sheet = lab.page.get_by_role("dialog", name="wide.csv: 100,002 rows, 2 columns")
    sheet.wait_for()
    shown = lab.page.evaluate("window.shown")
    assert shown == [
        "Uploading wide.csv: 0 %", "Uploading wide.csv: 43 %", "Uploading wide.csv: 87 %", asks,
    ]  # fmt: skip
    sheet.get_by_role("button", name="Cancel").click()
    lab.upload("wide.csv", b"a,b\n1,2\n3,4\n")  # the same name again
    lab.page.get_by_role("dialog", name="wide.csv: 2 rows, 2 columns").wait_for()


def test_two_files_at_once_and_a_drop_by_the_mouse(lab):
    field = lab.page.locator(".table-file .drop-zone")
    drop = """(field, names) => {
        const files = new DataTransfer()
        for (const name of names) files.items.add(new File(["a,b\\n1,2\\n2,3\\n"], name))
        field.dispatchEvent(new DragEvent("drop", {dataTransfer: files, bubbles: true}))
    }"""
    field.evaluate(drop, ["one.csv", "two.csv"])
    lab.see("Drop one file at a time.")
    field.evaluate(drop, ["one.csv"])
    lab.page.get_by_role("dialog", name="one.csv: 2 rows, 2 columns").wait_for()


# As by Ctrl+V: what has the focus, in whatever part of the page, hears it first.
_PASTE = """([cells, leave]) => {
    let at = document.activeElement
    while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement
    if (leave) { at.blur(); at = document.body }
    const clipboardData = new DataTransfer()
    clipboardData.setData("text/plain", cells)
    at.dispatchEvent(new ClipboardEvent("paste", {clipboardData, bubbles: true, composed: true}))
}"""


def test_cells_are_pasted_and_a_file_is_dropped_anywhere_on_the_page(lab):
    lab.page.evaluate(_PASTE, ["no cells", False])  # one word is no table
    lab.page.get_by_label("Sizes", exact=True).first.focus()
    lab.page.evaluate(_PASTE, ["size\tof\n1\t2\n", False])  # a text field takes it
    lab.page.evaluate(_PASTE, ["shop\tsold\n\tEUR\na\t1\nb\tk. A.\nc\t5\nd\t7\n", True])
    sheet = lab.page.get_by_role("dialog", name="pasted.tsv: 4 rows, 2 columns")
    sheet.get_by_role("button", name="“k. A.” means missing").click()
    sheet.get_by_text("1 value in 1 of 4 rows missing").wait_for()
    sheet.get_by_text("To be clustered: 4 points by 1 feature.").wait_for()
    sheet.get_by_role("button", name="Load", exact=True).click()
    lab.see("pasted · 4 points")
    lab.page.locator(".plot, canvas").first.evaluate(
        """(node) => {
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File(["a,b\\n1,2\\n2,3\\n"], "dropped.csv"))
        for (const kind of ["dragover", "drop"]) node.dispatchEvent(
            new DragEvent(kind, {dataTransfer, bubbles: true, composed: true, cancelable: true}))
    }"""
    )
    lab.page.get_by_role("dialog", name="dropped.csv: 2 rows, 2 columns").wait_for()
    assert lab.page.evaluate("document.body.style.outline") == ""
