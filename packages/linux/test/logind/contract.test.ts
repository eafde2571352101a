import { inhibitorContract } from "@rollcall/shutdown/testing"
import { describe } from "vitest"
import { makeLogindRig as makeRig, missingForLogind as missing } from "../../src/testing/index.ts"

describe.skipIf(missing !== "")(`over a real bus${missing === "" ? "" : ` (missing: ${missing})`}`, () => {
  inhibitorContract("systemd-logind", makeRig)
})
