/**
 * The floor of the server's benchmark, as a program: `node httpsSqlite.ts FILE CERTIFICATE KEY`. Takes a JSON body by PUT over
 * HTTPS, parses it, upserts it under its path in a group commit, and answers it when it is on disk. Prints its port.
 */
import { readFileSync } from "node:fs"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { groupedSqlite } from "./groupedSqlite.ts"

const [file = "", certificate = "", key = ""] = process.argv.slice(2)
const floor = groupedSqlite(file)
const options = { cert: readFileSync(certificate), key: readFileSync(key), keepAliveTimeout: 60_000 }

const server = createServer(options, (request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const text = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString()))
    floor.write(request.url ?? "", text, () => {
      response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) })
      response.end(text)
    })
  })
})
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
