import { assert, describe, it } from "@effect/vitest"
import type { CustomResourceDefinition } from "@rollcall/api"
import type { ApiRequest } from "@rollcall/cluster"
import { customResources } from "../../src/custom/index.ts"
import { makeTestServer } from "../core/testServer.ts"
import { dial, dialKind, dials } from "./definitions.ts"

const name = "dials.rollcall.example.com"

const makeServer = () => {
  const errors: Array<string> = []
  const testServer = makeTestServer({ customResources, handleError: (source) => void errors.push(source) })
  testServer.create("CustomResourceDefinition", dials())
  testServer.settle()
  const patchStatus = (status: object | null) =>
    testServer.ask({
      verb: "patch",
      kind: "CustomResourceDefinition",
      name,
      subresource: "status",
      patchType: "merge",
      body: { status }
    } as ApiRequest) as CustomResourceDefinition
  return { testServer, errors, patchStatus }
}

describe("the status of a definition that others write", () => {
  it("gets its names back, and its kind stays served", () => {
    const { errors, patchStatus, testServer } = makeServer()
    patchStatus({ acceptedNames: { plural: "x", kind: "X" } })
    testServer.settle()
    const { status } = testServer.get("CustomResourceDefinition", name) as CustomResourceDefinition
    assert.deepInclude(status?.acceptedNames, { plural: "dials", kind: "Dial" })
    testServer.ask({ verb: "create", kind: dialKind, namespace: "default", object: dial("a") })
    assert.deepStrictEqual(errors, [])
  })

  it("keeps the version in which objects are stored", () => {
    const { patchStatus } = makeServer()
    assert.deepStrictEqual(patchStatus(null).status?.storedVersions, ["v1"])
  })
})
