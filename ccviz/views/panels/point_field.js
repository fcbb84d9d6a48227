// A field for points; while one types, the names that fit stand under it, over all that is there.
function completed(text, name) {
  const at = text.lastIndexOf(",")
  return at < 0 ? `${name}, ` : `${text.slice(0, at)}, ${name}, `
}

export function render({model}) {
  const box = document.createElement("div")
  box.className = "field"
  box.innerHTML = html`<label for="points">Pick points by number or name</label>
    <input id="points" role="combobox" aria-expanded="false" aria-controls="names"
      aria-autocomplete="list" autocomplete="off" spellcheck="false">
    <ul id="names" role="listbox" aria-label="Names that fit" popover="manual"></ul>`.text
  const [field, list] = ["input", "ul"].map((each) => box.querySelector(each))
  let at = -1
  const open = (shown) => {
    const {left, bottom, width} = field.getBoundingClientRect()
    Object.assign(list.style, {left: `${left}px`, top: `${bottom + 2}px`, width: `${width}px`})
    if (list.matches(":popover-open") !== shown) list.togglePopover(shown)
    field.setAttribute("aria-expanded", String(shown))
  }
  const mark = (place) => {
    at = place
    const items = [...list.children]
    for (const [index, item] of items.entries()) item.ariaSelected = String(index === at)
    items[at]?.scrollIntoView({block: "nearest"})
    field.setAttribute("aria-activedescendant", items[at]?.id ?? "")
  }
  const draw = () => {
    const {text, names} = model.suggestions
    if (text !== field.value) return  // one has typed on
    list.innerHTML = html`${names.map((name, place) =>
      html`<li role="option" id="name-${place}" aria-selected="false">${name}</li>`)}`.text
    mark(-1)
    open(names.length > 0 && box.getRootNode().activeElement === field)
  }
  const take = (name) => {
    field.value = completed(field.value, name)
    open(false)
    mark(-1)
    field.focus()
  }
  const say = () => { field.placeholder = model.named ? "Anna, 140" : "3, 140" }
  field.addEventListener("input", () => {
    if (model.named) model.send_msg({what: "type", text: field.value})
  })
  field.addEventListener("keydown", (event) => {
    const many = list.children.length, shown = list.matches(":popover-open")
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key]
    if (shown && step) {
      event.preventDefault()
      mark((at + step + many) % many)
    } else if (event.key === "Escape" && shown) {
      event.stopPropagation()
      open(false)
    } else if (event.key === "Enter" && shown && at >= 0) {
      take(list.children[at].textContent)
    } else if (event.key === "Enter") {
      open(false)
      model.send_msg({what: "pick", text: field.value.replace(/[,\s]+$/, "")})
    }
  })
  // Before the field loses the keyboard.
  list.addEventListener("pointerdown", (event) => {
    const item = event.target.closest("li")
    if (item) take(item.textContent)
    event.preventDefault()
  })
  field.addEventListener("blur", () => open(false))
  // Once its points are picked the field is emptied: from then on keys are for linking them.
  hear(model, () => {
    field.value = ""
    field.blur()
  })
  model.on("suggestions", draw)
  model.on("named", say)
  say()
  return box
}
