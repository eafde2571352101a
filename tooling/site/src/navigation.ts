/** Reference pages that the build makes from the code. */
export type Generated = "programs" | "files" | "kinds" | "packages"

/** A section of the site. A test fails if a page of `docs` is in no section. */
export interface Section {
  readonly title: string
  /** Pages of the repository, in reading order. */
  readonly pages: ReadonlyArray<string>
  /** Labels of pages that are not their first headings. */
  readonly labels?: Readonly<Record<string, string>>
  /** The made pages after those of the repository. */
  readonly generated?: ReadonlyArray<Generated>
  /** Whether the list of pages is closed until one of them is shown. */
  readonly folded?: true
}

/** What the site shows, in reading order. The label of a page is its first heading. */
export const navigation: ReadonlyArray<Section> = [
  {
    title: "Start",
    pages: ["README.md", "docs/README.md"],
    labels: { "README.md": "Introduction", "docs/README.md": "All pages" }
  },
  {
    title: "Concepts",
    pages: [
      "docs/concepts/nodes.md",
      "docs/concepts/heartbeats.md",
      "docs/concepts/conditions.md",
      "docs/concepts/node-lifecycle.md",
      "docs/concepts/zones.md",
      "docs/concepts/taint-eviction.md",
      "docs/concepts/drain.md",
      "docs/concepts/graceful-shutdown.md",
      "docs/concepts/priority-shutdown.md",
      "docs/concepts/non-graceful-shutdown.md",
      "docs/concepts/node-pressure.md",
      "docs/concepts/swap.md",
      "docs/concepts/resizes.md",
      "docs/concepts/devices.md",
      "docs/concepts/resource-managers.md",
      "docs/concepts/addresses-and-clouds.md",
      "docs/concepts/volumes.md",
      "docs/concepts/authorization.md",
      "docs/concepts/releases.md"
    ]
  },
  {
    title: "How to",
    pages: [
      "docs/how-to/live-cluster.md",
      "docs/how-to/several-servers.md",
      "docs/scale.md",
      "docs/how-to/rehearse-your-cluster.md",
      "docs/how-to/read-an-outage.md",
      "docs/how-to/plan-a-drain.md",
      "docs/how-to/plan-a-shutdown.md",
      "docs/how-to/test-a-controller.md",
      "docs/how-to/linux-machine.md",
      "docs/how-to/write-a-layer.md",
      "docs/how-to/add-a-kind.md",
      "docs/how-to/without-effect.md"
    ]
  },
  { title: "Incidents", pages: ["docs/incidents.md", "docs/laws.md"] },
  {
    title: "Reference",
    pages: [
      "docs/reference/scenario.md",
      "docs/reference/kubelet.md",
      "docs/reference/modelled-containers.md",
      "docs/reference/api-server.md",
      "docs/reference/metrics.md",
      "docs/reference/columns.md",
      "docs/reference/packages.md",
      "docs/reference/end-to-end.md"
    ],
    generated: ["programs", "files", "kinds", "packages"]
  },
  { title: "Extending", pages: ["docs/extending.md", "CONTRIBUTING.md"] },
  {
    title: "Architecture",
    pages: ["docs/architecture.md", "docs/performance.md", "docs/dependencies.md", "CHANGELOG.md"],
    labels: { "CHANGELOG.md": "Changes" }
  },
  {
    title: "Decisions",
    folded: true,
    pages: [
      "docs/decisions/README.md",
      "docs/decisions/worlds-are-layers.md",
      "docs/decisions/turns.md",
      "docs/decisions/plain-timers.md",
      "docs/decisions/every-heartbeat.md",
      "docs/decisions/one-writer-thread.md",
      "docs/decisions/shared-informers.md",
      "docs/decisions/wire-objects.md",
      "docs/decisions/rows-of-releases.md",
      "docs/decisions/own-cel.md",
      "docs/decisions/store-etcd.md",
      "docs/decisions/source-first.md",
      "docs/decisions/plain-pages.md",
      "docs/decisions/plain-http1.md"
    ]
  }
]
