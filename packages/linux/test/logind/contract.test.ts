import { inhibitorContract } from "@rollcall/shutdown/testing"
import { describe } from "vitest"
import { makeLogindRig, missingForLogind } from "../../src/testing/index.ts"

describe.skipIf(missingForLogind !== "")(
  `over a real bus${missingForLogind === "" ? "" : ` (missing: ${missingForLogind})`}`,
  () => {
    inhibitorContract("systemd-logind", makeLogindRig)
  }
)
