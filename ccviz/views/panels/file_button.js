// A button that asks for a file, and hands it to the browser once it is there.
export function render({model}) {
  const button = document.createElement("button")
  button.type = "button"
  button.textContent = model.label
  button.title = model.hint
  const follow = () => { button.disabled = !model.ready }
  button.addEventListener("click", () => model.send_msg("file"))
  model.on("ready", follow)
  hear(model, handOver)
  follow()
  return button
}
