import { defaultRelease, releaseNames } from "@rollcall/api"
import {
  apiServerSettings,
  cloudControllerManagerSettings,
  controllerManagerSettings,
  leaderElectionSettings,
  schedulerSettings
} from "@rollcall/control-plane"
import type { SettingsTable } from "@rollcall/input"
import { compareReleases } from "@rollcall/report"
import * as Schema from "effect/Schema"
import { breakable } from "../content/escape.ts"
import type { Group, Page } from "../Site.ts"
import { code, type Entry, entries, heading, inline, referenceGroup, referencePage, table } from "./html.ts"
import { scenarioPage } from "./scenario.ts"

/** A configuration kind: the settings that it honours. */
interface Kind {
  readonly url: string
  readonly kind: string
  readonly about: string
  readonly settings: SettingsTable
}

const kinds: ReadonlyArray<Kind> = [
  {
    url: "kube-controller-manager",
    kind: "KubeControllerManagerConfiguration",
    about:
      "The fields of `kubecontrollermanager.config.k8s.io/v1alpha1` that have an effect: in the file of `--config`, and in a scenario in `spec.config.kubeControllerManager`. A known field without effect is a warning.",
    settings: { ...controllerManagerSettings, ...leaderElectionSettings("generic.leaderElection") }
  },
  {
    url: "cloud-controller-manager",
    kind: "CloudControllerManagerConfiguration",
    about:
      "The fields that have an effect: in the file of `--config`, and in a scenario in `spec.config.cloudControllerManager`.",
    settings: { ...cloudControllerManagerSettings, ...leaderElectionSettings("generic.leaderElection") }
  },
  {
    url: "kube-scheduler",
    kind: "KubeSchedulerConfiguration",
    about:
      "The fields of `kubescheduler.config.k8s.io/v1` that configure the process. `profiles`, `percentageOfNodesToScore`, `podInitialBackoffSeconds` and `podMaxBackoffSeconds` have an effect, too: see [KubeSchedulerConfiguration](https://kubernetes.io/docs/reference/config-api/kube-scheduler-config.v1/).",
    settings: { ...schedulerSettings, ...leaderElectionSettings("leaderElection") }
  },
  {
    url: "kube-apiserver",
    kind: "The API server's settings",
    about:
      "kube-apiserver has no configuration file. A scenario has the names of its flags in `spec.config.kubeApiserver`.",
    settings: apiServerSettings
  }
]

const settingEntries = (settings: SettingsTable): ReadonlyArray<Entry> =>
  Object.values(settings).map(({ flag = "", initial, path = "", type }) => {
    const value = initial(defaultRelease)
    const written = value === undefined ? "" : String(Schema.encodeUnknownSync(type.schema)(value))
    return {
      anchor: path,
      name: path,
      initial: written,
      description: `${inline(type.expected)}${flag === "" ? "" : `; the flag ${code(`--${flag}`)}`}`
    }
  })

const kindPage = ({ about, kind, settings, url }: Kind): Page =>
  referencePage(
    `configuration/${url}`,
    kind,
    breakable(kind),
    `<p>${inline(about)}</p>\n${entries(settingEntries(settings))}`
  )

/** The differences between the releases, and their feature gates. */
const releasesPage = (): Page => {
  const body = compareReleases().sections.map(({ rows, title }) => {
    const name = `${title.slice(0, 1).toUpperCase()}${title.slice(1)}`
    const lines = rows.map(({ cells, what }) => [what, ...cells])
    return heading(2, title.replaceAll(" ", "-"), name) + table(["", ...releaseNames], lines)
  })
  const about = `<p>What differs between the emulated releases, as ${code("rollcall compare releases")} prints it. The default is ${defaultRelease.name}. <a href="../../concepts/releases.html">Releases</a> says what they mean.</p>\n`
  return referencePage("configuration/releases", "Emulated releases", "Emulated releases", about + body.join(""))
}

/** Makes the pages of what people write in files. */
export const configurationPages = (): Group =>
  referenceGroup("Files", [scenarioPage(), ...kinds.map(kindPage), releasesPage()])
