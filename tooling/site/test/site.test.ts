import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { navigation } from "../src/navigation.ts"
import { hasBrowser, startBrowser, type Tab } from "./browser.ts"
import { type BuiltSite, buildSite, root } from "./buildSite.ts"
import { addressesOf, anchorsOf, loadedFromElsewhere, textOf } from "./html.ts"
import { faintTexts, overflow } from "./inPage.ts"
import { serveFolder } from "./serveFolder.ts"

let built: BuiltSite

const textOfPage = (page: string): string => textOf(built.pages.get(page) ?? "")

beforeAll(async () => {
  built = await buildSite()
}, 120_000)

afterAll(() => built.remove())

describe("the site", () => {
  it("has a page for each page of docs", () => {
    const listed = navigation.flatMap(({ pages }) => pages)
    const docs = fileURLToPath(new URL("../../../docs", import.meta.url))
    const pages = readdirSync(docs, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".md"))
      .map((file) => `docs/${file}`)
    const missing = pages.filter((page) => !listed.includes(page))
    assert.deepStrictEqual(missing, [], "not in tooling/site/src/navigation.ts")
  })

  it("has no link to a page, a section or a file of its own that does not exist", () => {
    const { folder, pages } = built
    const anchors = new Map([...pages].map(([page, html]) => [page, new Set(anchorsOf(html))]))
    const isBroken = (page: string, address: string): boolean => {
      const [path = "", anchor = ""] = address.split("#")
      const target = path === "" ? page : posix.join(posix.dirname(page), path)
      return anchor === "" ? !existsSync(join(folder, target)) : anchors.get(target)?.has(anchor) !== true
    }
    const broken = [...pages].flatMap(([page, html]) =>
      addressesOf(html)
        .filter((address) => !/^[a-z]+:/.test(address) && isBroken(page, address))
        .map((address) => `${page}: ${address}`)
    )
    assert.isAbove(pages.size, 100)
    assert.deepStrictEqual(broken, [])
  })

  it("has no anchor twice on a page", () => {
    const twice = [...built.pages].flatMap(([page, html]) => {
      const anchors = anchorsOf(html)
      return anchors.filter((anchor, at) => anchors.indexOf(anchor) !== at).map((anchor) => `${page}: ${anchor}`)
    })
    assert.deepStrictEqual(twice, [])
  })

  it("has no link to a file or a line of the repository that does not exist", () => {
    const repository = /^https:\/\/[^/]+\/[^/]+\/[^/]+\/(?:blob|tree)\/main\/([^#]+)(?:#L(\d+))?/
    const links = [...new Set([...built.pages.values()].flatMap(addressesOf))].filter((link) => repository.test(link))
    const missing = links.filter((link) => {
      const [, path = "", line] = repository.exec(link) ?? []
      const file = join(root, path)
      if (!existsSync(file)) return true
      return line !== undefined && readFileSync(file, "utf8").split("\n").length < Number(line)
    })
    assert.isAbove(links.length, 1000)
    assert.deepStrictEqual(missing, [])
  })

  it("loads nothing from other hosts, and the build lists the hosts that it links to", () => {
    for (const [page, html] of built.pages) assert.deepStrictEqual(loadedFromElsewhere(html), [], page)
    assert.include(built.printed, "kubernetes.io")
  })

  it("has one first heading, a title and a description on each page", () => {
    for (const [page, html] of built.pages) {
      assert.strictEqual([...html.matchAll(/<h1[\s>]/g)].length, 1, page)
      assert.match(html, /<title>[^<]+<\/title>/, page)
      assert.match(html, /<meta name="description" content="[^"]+">/, page)
    }
  })

  it("carries its license, and that of the search", () => {
    assert.include(readFileSync(join(built.folder, "LICENSE"), "utf8"), "Apache License")
    assert.include(readFileSync(join(built.folder, "pagefind/LICENSE"), "utf8"), "Copyright (c) Pagefind")
  })
})

describe("the reference", () => {
  it("has the flags of a program with their types, defaults and descriptions", () => {
    assert.include(textOfPage("reference/programs/up.html"), "--nodes # int default 3 the number of modelled nodes")
    assert.include(textOfPage("reference/programs/plan.html"), "rollcall plan drain")
    assert.include(textOfPage("reference/programs/kubectl.html"), "-A, --all-namespaces")
    assert.include(textOfPage("reference/programs/rollcalld.html"), "ROLLCALLD_DATA_DIR")
  })

  it("has the flags that only earlier releases of a program have", () => {
    const page = textOfPage("reference/programs/kubelet.html")
    assert.include(page, "--dynamic-config-dir # until 1.23 use --config and --config-dir")
  })

  it("has the fields of files", () => {
    const scenario = textOfPage("reference/configuration/scenario.html")
    assert.include(scenario, "spec.events[]")
    assert.include(scenario, "duration # required a duration that is not negative")
    const manager = textOfPage("reference/configuration/kube-controller-manager.html")
    assert.include(manager, "nodeLifecycleController.nodeMonitorGracePeriod # default 50s a duration")
    assert.include(textOfPage("reference/configuration/releases.html"), "node monitor grace period 40s 40s 40s 50s 50s")
  })

  it("has the fields of kinds with their types", () => {
    const core = built.pages.get("reference/kinds/core.v1.html") ?? ""
    assert.include(textOf(core), "unschedulable # bool Whether the node is cordoned")
    assert.include(core, '<a href="#NodeSpec">')
    assert.include(built.pages.get("reference/kinds/apps.v1.html") ?? "", '<a href="core.v1.html#PodTemplateSpec">')
  })

  it("has what a package exports, with its documentation and without its private members", () => {
    const page = textOfPage("reference/packages/eviction.html")
    assert.include(page, "A token bucket that starts full and refills with time.")
    assert.include(
      page,
      "class TokenBucket { /** Tokens per second, as given; `rate` is the same number as a float32. */"
    )
    assert.notInclude(page, "private ")
    assert.match(textOfPage("reference/packages/store.html"), /class Store extends Context ?\. ?ServiceClass ?< ?Store/)
  })
})

/** What went wrong since a page was opened: errors of programs, messages of the browser, requests that failed or left the site. */
const failuresOf = ({ events }: Tab, site: string): ReadonlyArray<string> =>
  events.flatMap(({ method, params }) => {
    const text = JSON.stringify(params)
    if (["Runtime.exceptionThrown", "Log.entryAdded", "Network.loadingFailed"].includes(method)) return [text]
    if (method === "Runtime.consoleAPICalled" && params.type === "error") return [text]
    if (method === "Network.responseReceived" && (params.response as { status: number }).status >= 400) return [text]
    if (method !== "Network.requestWillBeSent") return []
    const { url } = params.request as { readonly url: string }
    return url.startsWith(site) || url.startsWith("data:") ? [] : [`leaves the site: ${url}`]
  })

describe.skipIf(!hasBrowser)(hasBrowser ? "in a browser" : "in a browser: skipped, there is none", () => {
  let site = ""
  let tab: Tab
  let stop = async () => {}

  beforeAll(async () => {
    const server = await serveFolder(built.folder)
    const browser = await startBrowser()
    site = server.url
    tab = browser.tab
    stop = async () => {
      await browser.close()
      server.close()
    }
  })

  afterAll(() => stop())

  const pages = [
    "index.html",
    "concepts/zones.html",
    "reference/programs/kubelet.html",
    "reference/packages/eviction.html"
  ]
  for (const page of pages)
    for (const scheme of ["light", "dark"] as const)
      for (const width of [390, 1280])
        it(`${page} fits ${width} pixels in ${scheme}, with readable text, and loads all of itself from the site`, async () => {
          await tab.open(site + page, width, scheme)
          assert.strictEqual(await tab.evaluate<number>(overflow), 0)
          assert.deepStrictEqual(await tab.evaluate<ReadonlyArray<string>>(faintTexts), [])
          assert.isTrue(await tab.evaluate<boolean>("[...document.images].every((image) => image.naturalWidth > 0)"))
          assert.deepStrictEqual(failuresOf(tab, site), [])
        })

  it("finds a page by its text", async () => {
    await tab.open(`${site}concepts/swap.html`, 1280, "light")
    await tab.evaluate("document.querySelector('.search').click()")
    await tab.evaluate(
      "(() => { const input = document.querySelector('dialog input'); input.value = 'LimitedSwap'; input.dispatchEvent(new Event('input')) })()"
    )
    await tab.until(() => tab.evaluate<boolean>("document.querySelectorAll('dialog li').length > 0"))
    const addresses = await tab.evaluate<ReadonlyArray<string>>(
      "[...document.querySelectorAll('dialog li a')].map((link) => link.href.split('#')[0])"
    )
    assert.include(addresses, `${site}concepts/swap.html`)
    assert.deepStrictEqual(failuresOf(tab, site), [])
  })

  it("switches between light and dark, and remembers it on the next page", async () => {
    const background = "getComputedStyle(document.body).backgroundColor"
    await tab.open(`${site}index.html`, 1280, "light")
    const light = await tab.evaluate<string>(background)
    await tab.evaluate("document.querySelector('.theme').click()")
    const dark = await tab.evaluate<string>(background)
    assert.notStrictEqual(dark, light)
    await tab.open(`${site}concepts/swap.html`, 1280, "light")
    assert.strictEqual(await tab.evaluate<string>(background), dark)
    await tab.evaluate("document.querySelector('.theme').click()")
    assert.strictEqual(await tab.evaluate<string>(background), light)
  })

  it("opens the list of pages on a narrow screen", async () => {
    await tab.open(`${site}index.html`, 390, "light")
    const isShown = "document.querySelector('.navigation').checkVisibility()"
    assert.isFalse(await tab.evaluate<boolean>(isShown))
    await tab.evaluate("document.querySelector('.menu').click()")
    assert.isTrue(await tab.evaluate<boolean>(isShown))
    assert.strictEqual(await tab.evaluate<number>(overflow), 0)
  })
})
