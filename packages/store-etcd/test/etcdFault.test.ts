import { assert, it } from "@effect/vitest"
import { etcdFault } from "../src/testing/index.ts"

it("an etcd that is too old, or none, is said", () => {
  const printed = (version: string) => `etcd Version: ${version}\nGit SHA: Not provided\n`
  for (const version of ["3.5.8", "3.5.30", "3.6.0", "4.0.0"]) assert.isUndefined(etcdFault(printed(version)))
  for (const version of ["3.4.23", "3.5.7", "2.9.9"])
    assert.match(etcdFault(printed(version)) ?? "", /3\.5\.8 or later/)
  assert.match(etcdFault("") ?? "", /not on the path/)
})
