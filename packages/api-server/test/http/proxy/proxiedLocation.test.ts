import { assert, describe, it } from "vitest"
import { proxiedLocation } from "../../../src/http/resources/proxy/proxiedLocation.ts"

const prefix = "/api/v1/nodes/n1/proxy"
const request = { prefix, backend: "10.0.0.1:10250", requested: "api:6443" }

describe("where an answer of a proxied server leads", () => {
  it("is below the path that stands for that server", () => {
    const of = (location: string) => proxiedLocation(location, request)
    assert.strictEqual(of("/logs/"), `${prefix}/logs/`)
    assert.strictEqual(of("/logs//a?x=1#y"), `${prefix}/logs/a?x=1#y`)
    assert.strictEqual(of("https://10.0.0.1:10250/a"), `${prefix}/a`)
    assert.strictEqual(of("https://api:6443/a"), `https://api:6443${prefix}/a`)
    assert.strictEqual(of(`${prefix}/a`), `${prefix}/a`)
  })

  it("is left as it is if it leads elsewhere, where no one goes but the client, or is relative", () => {
    for (const location of ["https://evil.example/a", "//169.254.169.254/a", "logs/", "?x=1", ""]) {
      assert.strictEqual(proxiedLocation(location, request), location)
    }
  })
})
