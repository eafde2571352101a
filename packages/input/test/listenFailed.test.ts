import { assert, describe, it } from "vitest"
import { listenFailed } from "../src/index.ts"

const flagNames = { port: "--secure-port", host: "--bind-address" }

describe("a server that cannot listen", () => {
  it("says why, where, and which flag chooses another place", () => {
    const { message } = listenFailed(
      { code: "EACCES", message: "listen EACCES" },
      { host: "::1", port: 443, flagNames }
    )
    assert.strictEqual(
      message,
      "cannot listen on [::1]:443: this user may not; choose a port above 1023 with --secure-port"
    )
  })

  it("names no flag where there are none, and tells what it does not know as it came", () => {
    const where = { host: "127.0.0.1", port: 80 }
    assert.deepInclude(listenFailed({ code: "EADDRINUSE", message: "listen EADDRINUSE" }, where), {
      address: "127.0.0.1:80",
      why: "another process listens there; stop it, or choose another port"
    })
    assert.strictEqual(listenFailed({ message: "bad key" }, where).why, "bad key")
  })
})
