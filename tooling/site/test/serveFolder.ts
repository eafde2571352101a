import { readFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { extname, join, normalize } from "node:path"

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json"
}

/** Serves a folder below the path /rollcall/, as a host of project pages does. */
export const serveFolder = async (folder: string): Promise<{ readonly url: string; readonly close: () => void }> => {
  const server = createServer(async ({ url = "/" }, response) => {
    const { pathname } = new URL(url, "http://site")
    const path = pathname.replace(/^\/rollcall\//, "").replace(/(^|\/)$/, "$1index.html")
    try {
      const body = await readFile(join(folder, normalize(`/${path}`)))
      response.setHeader("content-type", types[extname(path)] ?? "application/octet-stream").end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/rollcall/`, close: () => server.close() }
}
