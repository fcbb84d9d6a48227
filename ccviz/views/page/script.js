// What only the browser knows: keys, the theme of the page around the panels, and a lost server.
const KEYS = new Set(["m", "c", "h", "a", "u", "p", "z", "y", "escape", " ", "arrowleft", "arrowright", "?", "f", "1", "2", "3", "4", "5", "6"])

// The two keys of a presenter's remote control, and the way out; null for any other.
function presenterKey(event, presenting) {
  if (!presenting || typing(event)) return null
  if (event.key === "PageDown" || event.key === "PageUp") return event.key.toLowerCase()
  return event.key === "Escape" ? "f" : null
}

// Any answer will do: it is the server's, and it needs no session.
const SIGN = "static/js/bokeh.min.js"
const PAUSE_MS = 1000

async function untilItAnswers() {
  for (;;) {
    const answer = await fetch(SIGN, {method: "HEAD", cache: "no-store"}).catch(() => null)
    if (answer !== null && answer.status < 500) return
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

function say(text) {
  const bar = document.createElement("div")
  bar.id = "gone"
  bar.setAttribute("role", "alert")
  bar.textContent = text
  document.body.append(bar)
}

// The session is gone for good, for the server keeps none: a new one is asked for the same things.
async function waitAndReturn(model) {
  const run = model.busy
    ? " If it has ended, the run ends by itself, and what it has found is kept." : ""
  say(`The connection to the server is lost.${run} This page comes back when the server does.`)
  await untilItAnswers()
  returnTo(model)
}

function returnTo(model) {
  const address = new URL(location.href)
  if (model.reload_query) address.search = model.reload_query
  location.replace(address)
}

// The address follows the page, so that loading it again brings everything back. While there is
// something to undo, an entry of the history lies over the page's own: Back takes it, and undoes.
function followAddress(model) {
  let guarded = false
  const follow = () => {
    const address = model.reload_query ? `?${model.reload_query}` : location.pathname
    if (model.can_undo && !guarded) {
      history.pushState(null, "", address)
      guarded = true
    } else history.replaceState(null, "", address)
  }
  const back = () => {
    guarded = false
    if (model.can_undo) model.send_msg("z")
    else history.back()
  }
  // A table by address may be there before the page, and its address will not change any more.
  if (model.reload_query.startsWith("draft=")) follow()
  model.on("reload_query", follow)
  model.on("can_undo", follow)  // with the first edit it comes after the address
  window.addEventListener("popstate", back)
  model.on("remove", () => window.removeEventListener("popstate", back))
}

const OUT_OF_STEP = "isn't known"  // what Bokeh says of a part that the server has and the page has not
const STEP_MS = 30_000

// A message that came while the page was made may have been lost: what follows it does nothing, in
// silence. The page is loaded again, which is the way of a lost server; only once in a while.
function loadAgain(model) {
  const last = Number(sessionStorage.getItem("loaded-again") ?? -Infinity)
  if (Date.now() - last < STEP_MS) return say("This page is out of step with its server: reload it.")
  sessionStorage.setItem("loaded-again", String(Date.now()))
  say("This page is out of step with its server, and is loaded again.")
  returnTo(model)
}

// An axis that was moved by hand would keep its ends for every later run: another run is seen whole.
function showAll() {
  for (const each of window.Bokeh.documents[0].all_models) {
    if (each.type === "DataRange1d" && each.have_updated_interactively) each.reset()
  }
}

export function render({model}) {
  let lost = false
  followAddress(model)
  const misses = (event) => {
    const words = event.message ?? event.reason?.message ?? ""
    if (lost || !words.includes(OUT_OF_STEP)) return
    lost = true
    loadAgain(model)
  }
  for (const kind of ["error", "unhandledrejection"]) window.addEventListener(kind, misses)
  window.Bokeh.documents[0].on_event("connection_lost", () => {
    if (!lost) waitAndReturn(model)
    lost = true
  })
  const paint = () => { document.documentElement.dataset.theme = model.dark ? "dark" : "light" }
  const present = () => {
    document.documentElement.toggleAttribute("data-presenting", model.presenting)
    const whole = document.fullscreenElement !== null
    // A browser may refuse: the page shows points and proof alone all the same.
    if (model.presenting && !whole) document.documentElement.requestFullscreen?.().catch(() => {})
    if (!model.presenting && whole) document.exitFullscreen()
  }
  const left = () => {
    if (document.fullscreenElement === null && model.presenting) model.send_msg("f")
  }
  const press = (event) => {
    const key = presenterKey(event, model.presenting) ?? pressedKey(event, KEYS)
    if (key === null) return
    event.preventDefault()
    model.send_msg(key)
  }
  // No address of a part of the page: an entry of the history would undo an edit.
  const jump = (event) => {
    const part = document.getElementById(event.target.dataset?.to)
    part?.scrollIntoView({block: "start"})
    part?.focus({preventScroll: true})
  }
  paint()
  if (matchMedia("(prefers-color-scheme: dark)").matches) model.send_msg("prefers dark")
  document.getElementById("jump").addEventListener("click", jump)
  // Bokeh's frame around a figure that was clicked; who comes by the keyboard needs one.
  const frame = (event) => {
    const focused = event.composedPath()[0]
    if (!(focused instanceof Element) || !focused.matches(".bk-events")) return
    focused.style.outline = focused.matches(":focus-visible") ? "2px solid var(--accent)" : "none"
  }
  document.addEventListener("focusin", frame)
  const name = () => { document.title = model.data ? `${model.data} · ccviz` : "ccviz" }
  name()
  model.on("data", name)
  model.on("dark", paint)
  model.on("run", showAll)
  model.on("presenting", present)
  document.addEventListener("fullscreenchange", left)
  document.addEventListener("keydown", press)
  model.on("remove", () => {
    for (const kind of ["error", "unhandledrejection"]) window.removeEventListener(kind, misses)
    document.removeEventListener("keydown", press)
    document.getElementById("jump").removeEventListener("click", jump)
    document.removeEventListener("focusin", frame)
    document.removeEventListener("fullscreenchange", left)
  })
  return document.createElement("span")
}
