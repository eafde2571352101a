import { openSearch } from "./search.js"

const root = document.documentElement

/** Switches between light and dark, and remembers a choice that is not the system's. */
const switchTheme = () => {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"
  const next = (root.dataset.theme ?? system) === "dark" ? "light" : "dark"
  if (next === system) {
    delete root.dataset.theme
    localStorage.removeItem("theme")
  } else {
    root.dataset.theme = next
    localStorage.setItem("theme", next)
  }
}
document.querySelector(".theme").addEventListener("click", switchTheme)

const menu = document.querySelector(".menu")
const navigation = document.querySelector(".navigation")
const showNavigation = (open) => {
  navigation.classList.toggle("open", open)
  menu.setAttribute("aria-expanded", String(open))
}
menu.addEventListener("click", () => showNavigation(!navigation.classList.contains("open")))

// The current page is in view in the list of pages, which the browser would show from its top.
const current = navigation.querySelector("[aria-current]")
if (current !== null) navigation.scrollTop = current.offsetTop - navigation.clientHeight / 3

document.querySelector(".search").addEventListener("click", openSearch)
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select, dialog") !== null
  if (event.key === "Escape") showNavigation(false)
  if ((event.key === "/" && !isTyping) || (event.key === "k" && (event.ctrlKey || event.metaKey))) {
    event.preventDefault()
    openSearch()
  }
})

for (const block of document.querySelectorAll(".code")) {
  const button = document.createElement("button")
  button.type = "button"
  button.className = "copy"
  button.textContent = "Copy"
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("code").textContent)
    button.textContent = "Copied"
    setTimeout(() => {
      button.textContent = "Copy"
    }, 1500)
  })
  block.append(button)
}

const headings = [...document.querySelectorAll("article :is(h2, h3)[id]")]
const links = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.hash.slice(1), link]))
/** Marks the section that is being read in the list of the page's sections. */
const markSection = () => {
  const above = headings.filter((heading) => heading.getBoundingClientRect().top < 120)
  const shown = (above.at(-1) ?? headings[0])?.id
  for (const [id, link] of links) {
    if (id === shown) link.setAttribute("aria-current", "true")
    else link.removeAttribute("aria-current")
  }
}
if (links.size > 0) {
  addEventListener("scroll", markSection, { passive: true })
  markSection()
}
