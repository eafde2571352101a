/**
 * The floor of the server's benchmark, as a program: `node httpsSqlite.ts FILE CERTIFICATE KEY PORT`. Takes a JSON body over HTTPS,
 * parses it, upserts it under its path in a group commit, and answers it when it is on disk. Answers requests without a body at once,
 * with what was last written at their path. A watch of any path gets all that is written.
 */
import { readFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { createServer } from "node:https"
import { groupedSqlite } from "./groupedSqlite.ts"

const [file = "", certificate = "", key = "", port = "0"] = process.argv.slice(2)
const floor = groupedSqlite(file)
const options = { cert: readFileSync(certificate), key: readFileSync(key), keepAliveTimeout: 60_000 }
const written = new Map<string, Buffer>()
const nothing = Buffer.from("{}")
const watchers = new Set<ServerResponse>()

const watch = (response: ServerResponse) => {
  response.flushHeaders()
  watchers.add(response)
  response.on("close", () => watchers.delete(response))
}

const server = createServer(options, (request, response) => {
  const { method, url = "" } = request
  const chunks: Array<Buffer> = []
  const answer = (body: Buffer) => {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": body.length })
    response.end(body)
  }
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    if (url.includes("watch=1")) return watch(response)
    if (chunks.length === 0) return answer(written.get(url) ?? nothing)
    const value = JSON.parse(Buffer.concat(chunks).toString())
    const text = JSON.stringify(value)
    const path = method === "POST" ? `${url}/${value.metadata.name}` : url
    floor.write(path, text, () => {
      const body = Buffer.from(text)
      written.set(path, body)
      answer(body)
      if (watchers.size === 0) return
      const event = Buffer.from(`{"type":"MODIFIED","object":${text}}\n`)
      for (const watcher of watchers) watcher.write(event)
    })
  })
})
server.listen(Number(port), "127.0.0.1")
process.on("SIGTERM", () => process.exit(0))
