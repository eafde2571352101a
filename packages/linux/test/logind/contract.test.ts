import { inhibitorContract } from "@rollcall/shutdown/testing"
import { describe } from "vitest"
import { makeRig, missing } from "./rig.ts"

describe.skipIf(missing !== "")(`over a real bus${missing === "" ? "" : ` (missing: ${missing})`}`, () => {
  inhibitorContract("systemd-logind", makeRig)
})
