import { isSettingsTable, settingsContract } from "@rollcall/flags/testing"
import { assert, describe, it } from "vitest"
import * as all from "../src/index.ts"

/** The tables as a component reads them, with its leader election. */
const tablesOfComponents = {
  "kube-controller-manager": {
    ...all.controllerManagerSettings,
    ...all.leaderElectionSettings("generic.leaderElection")
  },
  "kube-scheduler": { ...all.schedulerSettings, ...all.leaderElectionSettings("leaderElection") }
}

const tables = Object.entries<unknown>(all).filter(([, table]) => isSettingsTable(table))

const readSettings = new Set<unknown>(
  Object.values(tablesOfComponents).flatMap((table) => Object.values<unknown>(table))
)
/** Every other table that the package has, one that is added tomorrow too. */
const unreadTables = tables.filter(([, table]) => Object.values(Object(table)).some((one) => !readSettings.has(one)))

describe("the tables of settings", () => {
  it("are all found", () => {
    assert.includeMembers(
      tables.map(([name]) => name),
      ["apiServerSettings", "cloudControllerManagerSettings", "controllerManagerSettings", "schedulerSettings"]
    )
  })
})

for (const [name, table] of [...Object.entries<unknown>(tablesOfComponents), ...unreadTables]) {
  if (isSettingsTable(table)) settingsContract(name, table)
}
