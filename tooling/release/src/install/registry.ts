import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface PackedManifest {
  readonly name: string
  readonly version: string
}

/** The manifest in a tarball. */
export const packedManifest = (tarball: string): PackedManifest & Readonly<Record<string, unknown>> =>
  JSON.parse(execFileSync("tar", ["-xzOf", tarball, "package/package.json"], { encoding: "utf8" }))

export interface Registry {
  readonly url: string
  readonly close: () => Promise<unknown>
}

/** Serves tarballs as a registry of npm would; every other package is that of npm's own registry. */
export const serveRegistry = async (tarballs: ReadonlyArray<string>): Promise<Registry> => {
  const upstream = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim()
  const packages = new Map(
    tarballs.map((file) => {
      const manifest = packedManifest(file)
      return [manifest.name, { data: readFileSync(file), manifest }] as const
    })
  )
  const server = createServer(({ url = "" }, response) => {
    const [, name = "", isTarball] = /^\/(.+?)(\/-\.tgz)?$/.exec(decodeURIComponent(url)) ?? []
    const found = packages.get(name)
    if (found === undefined) {
      response.writeHead(302, { location: new URL(url, upstream).href }).end()
      return
    }
    const { data, manifest } = found
    if (isTarball !== undefined) {
      response.end(data)
      return
    }
    const dist = {
      tarball: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}/-.tgz`,
      integrity: `sha512-${createHash("sha512").update(data).digest("base64")}`
    }
    const versions = { [manifest.version]: { ...manifest, dist } }
    response.end(JSON.stringify({ name, "dist-tags": { latest: manifest.version }, versions }))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.close()
      server.closeAllConnections()
      return once(server, "close")
    }
  }
}
