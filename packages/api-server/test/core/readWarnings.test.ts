import type { AnyKind } from "@rollcall/cluster"
import { assert, describe, it } from "vitest"
import { defineCustom } from "../../src/core/registry/defineCustom.ts"
import { makeTestServer } from "./testServer.ts"

const kind: AnyKind = "Dial.rollcall.example.com/v1"
const dial = {
  group: "rollcall.example.com",
  version: "v1",
  plural: "dials",
  singular: "dial",
  shortNames: [],
  kind: "Dial",
  namespaced: true
}
const admin = { user: "admin", groups: ["system:masters"], userAgent: "test" }

const setUp = () => {
  const server = makeTestServer()
  let made = 0
  const warnings = () => [`warning ${++made}`]
  const definition = defineCustom(dial)
  server.server.registry.add({ ...definition, strategy: { ...definition.strategy, warnings } })
  const object = { apiVersion: "rollcall.example.com/v1", kind: "Dial", metadata: { name: "d" }, value: "1" }
  const create = { verb: "create", kind, namespace: "default", object } as const
  const patch = {
    verb: "patch",
    kind,
    namespace: "default",
    name: "d",
    patchType: "merge",
    body: { value: "2" }
  } as const
  return { server, create, patch, made: () => made }
}

describe("warnings", () => {
  it("are told to the clients that read them", () => {
    const { create, made, patch, server } = setUp()
    const told: Array<string> = []
    for (const request of [create, patch])
      server.server.serve(admin, request, (_, __, warnings) => told.push(...warnings))
    assert.deepStrictEqual(told, ["warning 1", "warning 2"])
    assert.strictEqual(made(), 2)
  })

  it("are not made for a connection, which tells none", () => {
    const { create, made, patch, server } = setUp()
    server.ask(create)
    assert.isDefined(server.ask(patch))
    assert.strictEqual(made(), 0)
  })
})
