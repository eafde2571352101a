/**
 * The floor of the server's benchmark, as a program: `node httpsSqlite.ts FILE CERTIFICATE KEY PORT`. Takes a JSON body over HTTPS,
 * parses it, upserts it under its path in a group commit, and answers it when it is on disk. Answers requests without a body at once.
 */
import { readFileSync } from "node:fs"
import { createServer } from "node:https"
import { groupedSqlite } from "./groupedSqlite.ts"

const [file = "", certificate = "", key = "", port = "0"] = process.argv.slice(2)
const floor = groupedSqlite(file)
const options = { cert: readFileSync(certificate), key: readFileSync(key), keepAliveTimeout: 60_000 }

const server = createServer(options, (request, response) => {
  const chunks: Array<Buffer> = []
  const answer = (text: string) => {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) })
    response.end(text)
  }
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    if (chunks.length === 0) return answer("{}")
    const value = JSON.parse(Buffer.concat(chunks).toString())
    const text = JSON.stringify(value)
    const created = request.method === "POST" ? `/${value.metadata.name}` : ""
    floor.write(`${request.url}${created}`, text, () => answer(text))
  })
})
server.listen(Number(port), "127.0.0.1")
process.on("SIGTERM", () => process.exit(0))
