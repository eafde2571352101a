/** The address of the site's root, from any of its pages. */
const home = new URL(document.body.dataset.root, location.href)
const MOST = 12

let pagefind
const load = async () => {
  if (pagefind === undefined) {
    pagefind = await import(new URL("pagefind/pagefind.js", home).href)
    await pagefind.options({ baseUrl: home.pathname, excerptLength: 24 })
  }
  return pagefind
}

const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

const input = element("input", { type: "search", placeholder: "Search the documentation", autocomplete: "off" })
input.setAttribute("aria-label", "Search the documentation")
const state = element("p", { className: "state" })
state.setAttribute("role", "status")
const list = element("ol")
const dialog = element("dialog", {}, input, state, list)
dialog.setAttribute("aria-label", "Search")
document.body.append(dialog)

/** The section of a page that matches best, or the page itself. */
const placeOf = ({ excerpt, meta, sub_results: sections, url }) => {
  const section = sections.find(({ title }) => title !== meta.title) ?? sections[0]
  const isSection = section !== undefined && section.title !== meta.title
  return {
    url: section?.url ?? url,
    title: isSection ? `${meta.title} › ${section.title.replace(/#$/, "")}` : meta.title,
    excerpt: section?.excerpt ?? excerpt
  }
}

const itemOf = (found) => {
  const { excerpt, title, url } = placeOf(found)
  const text = element("span")
  // Pagefind escapes the text and puts <mark> around what was searched for.
  text.innerHTML = excerpt
  const link = element("a", { href: url }, element("strong", { textContent: title }), text)
  link.addEventListener("click", () => dialog.close())
  return element("li", {}, link)
}

const search = async () => {
  const words = input.value.trim()
  if (words === "") {
    list.replaceChildren()
    state.textContent = "Type what you look for: a flag, a field, a reason, a name."
    return
  }
  const found = await (await load()).debouncedSearch(words, {}, 120)
  if (found === null) return
  const items = await Promise.all(found.results.slice(0, MOST).map((result) => result.data()))
  if (input.value.trim() !== words) return
  list.replaceChildren(...items.map(itemOf))
  const count = found.results.length
  state.textContent = count === 0 ? `Nothing found for ${words}.` : count === 1 ? "1 page" : `${count} pages`
}

input.addEventListener("input", () => {
  search().catch(() => {
    state.textContent = "Search needs a web server: npm run site -- --serve"
  })
})
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close()
})
dialog.addEventListener("keydown", (event) => {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return
  const stops = [input, ...list.querySelectorAll("a")]
  const next = stops.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1)
  stops[Math.max(0, Math.min(next, stops.length - 1))]?.focus()
  event.preventDefault()
})

export const openSearch = () => {
  if (dialog.open) return
  dialog.showModal()
  input.select()
  search()
}
