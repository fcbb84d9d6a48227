// The laboratory in a notebook cell: buttons and fields around the drawings of an exported page.

words = WORDS

const KEYS = new Set(["m", "c", "h", "a", "u", "z", "y", "escape", "?"])

// JupyterLab and Notebook 7 look here, from the focused element upwards, before they take a key for
// a command of theirs such as "m", which turns the cell into Markdown.
const NO_SHORTCUTS = "data-lm-suppress-shortcuts"

function isOurs(event) {
  return !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() === "z"
}

// Whether what lies behind an element is dark: each notebook has a name of its own for that. A
// colour may be written in many ways, lab() and oklch() among them, so it is painted and read.
function isDark(at) {
  const pen = element("canvas", {width: 1, height: 1}).getContext("2d")
  for (let each = at; each; each = each.parentElement || each.getRootNode().host) {
    pen.clearRect(0, 0, 1, 1)
    pen.fillStyle = getComputedStyle(each).backgroundColor
    pen.fillRect(0, 0, 1, 1)
    const [red, green, blue, solid] = pen.getImageData(0, 0, 1, 1).data
    if (solid > 128) return 0.3 * red + 0.6 * green + 0.1 * blue < 128
  }
  return false
}

// --- Links ----------------------------------------------------------------------------------

// Links as the drawings take them.
function drawnLinks(links) {
  const of = (kind) => {
    const own = links.filter(([each]) => each === kind)
    const pairs = Int32Array.from(own.flatMap(([, i, j]) => [i, j]))
    pairs.shape = [own.length, 2]
    return {pairs, soft: Uint8Array.from(own, (link) => link.length > 3)}
  }
  return {must: of("must"), cannot: of("cannot")}
}

// Saves what a chart shows, on the paper of its theme.
function savePicture({canvas, colors}) {
  const sheet = element("canvas", {width: canvas.width, height: canvas.height})
  const pen = sheet.getContext("2d")
  pen.fillStyle = colors.paper
  pen.fillRect(0, 0, sheet.width, sheet.height)
  pen.drawImage(canvas, 0, 0)
  element("a", {href: sheet.toDataURL("image/png"), download: "ccviz.png"}).click()
}

// --- Buttons and fields ---------------------------------------------------------------------

class Tools {
  constructor(send, save) {
    const button = (words, message, title, kind = "") => (
      element("button", {type: "button", class: kind, title, onclick: () => send(message)}, words))
    const field = (name, input) => {
      input.addEventListener("change", () => this.onChange(name, send))
      return input
    }
    this.inputs = {
      solver: field("solver", element("select", {"aria-label": "Solver"})),
      k: field("k", element("input", {type: "number", min: "1"})),
      sizes: field("sizes", element("input", {placeholder: "free"})),
      scaling: field("scaling", element("select")),
      across: field("across", element("select")), up: field("up", element("select")),
    }
    this.buttons = {
      run: button("Run", {run: true}, "Cluster the points under your links", "run"),
      stop: button("Stop", {stop: true}, "End the run; its result stays"),
      must: button("Must-link (M)", {key: "m"}, "The points that you have clicked belong together"),
      cannot: button("Cannot-link (C)", {key: "c"}, "They belong apart"),
      undo: button("Undo", {key: "z"}, "Take back the last edit (Z)"),
      redo: button("Redo", {key: "y"}, "Take back the last undo (Shift+Z)"),
      ask: button("Ask me", {key: "a"}, "Which points belong together? (A)"),
      unsure: button("Unsure (U)", {key: "u"}, "I do not know"),
      picture: element("button", {type: "button", title: "Save the plot as a PNG file", onclick: save}, "PNG"),
    }
    const {run, stop, ...rest} = this.buttons
    const {solver, ...fields} = this.inputs
    const titles = {k: "Clusters k", sizes: "Sizes", scaling: "Features", across: "Across", up: "Up"}
    this.notice = element("p", {class: "notice", role: "status"})
    this.asked = element("p", {class: "about"})
    this.box = element("div", {},
      element("div", {class: "tools"}, solver, run, stop, ...Object.values(rest)),
      element("div", {class: "fields"}, ...Object.entries(fields).map(([name, input]) => element("label", {}, titles[name], input))),
      this.asked, this.notice)
    this.told = {}
  }

  onChange(name, send) {
    const {value} = this.inputs[name]
    if (name === "k") send({k: Math.max(1, Math.round(Number(value)) || 1)})
    else if (name === "across" || name === "up") send({axes: [this.inputs.across.value, this.inputs.up.value]})
    else send({[name]: value})
  }

  show(state) {
    for (const [name, options] of Object.entries(state.choices)) this.offer(name, options)
    for (const [name, value] of Object.entries(state.fields)) this.inputs[name].value = value
    const {run, stop, must, cannot, undo, redo, ask, unsure} = this.buttons
    stop.disabled = !state.busy
    run.disabled = state.busy
    must.disabled = cannot.disabled = state.picked.length < 2
    undo.disabled = !state.undo
    redo.disabled = !state.redo
    ask.setAttribute("aria-pressed", String(Boolean(state.asking)))
    unsure.hidden = !state.asking
    this.asked.textContent = state.asked
    this.asked.hidden = !state.asked
    this.notice.textContent = [state.notice && state.notice.text, state.asking].filter(Boolean).join("\n")
    this.notice.className = `notice ${state.notice ? state.notice.kind : ""}`
    this.notice.hidden = !this.notice.textContent
  }

  offer(name, options) {
    const told = JSON.stringify(options)
    if (this.told[name] === told) return
    this.told[name] = told
    this.inputs[name].replaceChildren(...options.map(([value, title]) => element("option", {value}, title)))
  }
}

// --- The cell -------------------------------------------------------------------------------

class Cell {
  constructor(model, root) {
    Object.assign(this, {model, root})
    this.send = (message) => model.send(message)
    this.tools = new Tools(this.send, () => savePicture(this.panel.scatter))
    this.box = element("div", {class: "lab", tabindex: "-1"}, this.tools.box)
    this.box.addEventListener("keydown", (event) => this.onKey(event))
    this.box.addEventListener("click", () => {
      if (!this.root.activeElement) this.box.focus({preventScroll: true})
    })
  }

  // The notebook around the cell gets no key, except with Ctrl or Cmd.
  onKey(event) {
    if (!isOurs(event)) return
    event.stopPropagation()
    const key = pressedKey(event, KEYS)
    if (key === null) return
    event.preventDefault()
    this.send({key})
  }

  showState() {
    const state = this.model.get("_state")
    this.tools.show(state)
    if (!this.panel) return
    this.panel.picked = state.picked
    this.panel.scatter.draw()
  }

  showLinks() {
    if (!this.panel) return
    this.panel.run.links = drawnLinks(this.model.get("links"))
    this.panel.scatter.draw()
  }

  async showStory() {
    const word = this.model.get("_story")
    const run = await unpack(word)
    if (word !== this.model.get("_story")) return // a newer one has come
    run.links = drawnLinks(this.model.get("links"))
    if (this.panel) {
      this.panel.renew(run)
      this.player.renew()
      return
    }
    this.panel = new Panel(run, 0, (point) => this.send({pick: point}))
    this.panel.picked = this.model.get("_state").picked
    new Cursor(this.panel)
    this.player = new Player([this.panel], this.box)
    this.box.append(this.panel.main, this.player.box, this.panel.tabs.box)
    this.root.host.dataset.ready = "yes"
  }
}

function render({model, el}) {
  const host = element("div", {class: "ccviz-cell"})
  const root = host.attachShadow({mode: "open"})
  root.append(element("style", {}, STYLE))
  el.append(host)
  host.dataset.theme = isDark(el) ? "dark" : "light"
  const cell = new Cell(model, root)
  host.ccviz = cell
  root.append(cell.box)
  // Ctrl+S, Ctrl+Enter and their like stay JupyterLab's, which listens in the capture phase of the
  // document: the attribute is set or taken away just before, in that of the window.
  const claim = (event) => {
    if (event.composedPath().includes(host)) host.toggleAttribute(NO_SHORTCUTS, isOurs(event))
  }
  const heard = {"change:_state": () => cell.showState(), "change:links": () => cell.showLinks(), "change:_story": () => cell.showStory()}
  window.addEventListener("keydown", claim, {capture: true})
  for (const [name, show] of Object.entries(heard)) model.on(name, show)
  cell.showState()
  cell.showStory()
  return () => {
    window.removeEventListener("keydown", claim, {capture: true})
    for (const [name, show] of Object.entries(heard)) model.off(name, show)
  }
}

export default {render}
