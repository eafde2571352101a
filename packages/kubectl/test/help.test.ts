import { assert, describe, it } from "vitest"
import { asksForHelp, kubectlHelp, kubectlVerbs } from "../src/index.ts"

describe("help", () => {
  for (const verb of kubectlVerbs) {
    it(`says of ${verb} what each flag does`, () => {
      const help = kubectlHelp(verb, "rollcall") ?? ""
      assert.include(help, `Usage:\n  rollcall ${verb} `)
      const flags = help.split("\n").filter((line) => /^ {2,6}(-\w, )?--/.test(line))
      assert.isAtLeast(flags.length, 5)
      for (const line of flags) assert.match(line, /^ {2,6}(-\w, )?--\S+( \w+)? {2,}\S/)
    })
  }

  it("is requested by a flag, not by an argument after --", () => {
    assert.isTrue(asksForHelp(["get", "pods", "-h"]))
    assert.isFalse(asksForHelp(["get", "pods", "--", "--help"]))
    assert.isUndefined(kubectlHelp("dance"))
  })
})
