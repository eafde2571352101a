import { releases } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { serverAdmissionPlugins } from "../../src/security/admission/serverAdmission.ts"

const names = (options: Parameters<typeof serverAdmissionPlugins>[0]) =>
  serverAdmissionPlugins(options).map(({ name }) => name)

describe("NodeRestriction", () => {
  it("is enabled in releases that have it, unless it is disabled", () => {
    assert.include(names({}), "NodeRestriction")
    for (const name of ["1.26", "1.36"] as const) assert.include(names({ release: releases[name] }), "NodeRestriction")
    assert.notInclude(names({ release: releases["1.4"] }), "NodeRestriction")
    assert.include(names({ release: releases["1.4"], nodeRestriction: true }), "NodeRestriction")
    assert.notInclude(names({ disabled: ["NodeRestriction"] }), "NodeRestriction")
  })
})
