// A button that asks for a page, and hands it over as a file once it is there.
export function render({model}) {
  const button = document.createElement("button")
  button.type = "button"
  button.textContent = "Run as a page"
  button.title = "One HTML file that replays the run, with its lesson if one is on; it needs no network"
  const follow = () => { button.disabled = !model.ready }
  button.addEventListener("click", () => model.send_msg("make"))
  model.on("ready", follow)
  model.on("page", () => {
    if (!model.page) return
    const link = document.createElement("a")
    link.href = URL.createObjectURL(new Blob([model.page], {type: "text/html"}))
    link.download = model.filename
    link.click()
    window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
    model.send_msg("taken")
  })
  follow()
  return button
}
