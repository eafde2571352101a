import { SchedulerPlugins, type ScorePlugin } from "@rollcall/scheduler"
import { defineLayers } from "@rollcall/worlds"

/** Prefers nodes with the label `price: low`, regardless of Kubernetes' own scores. */
const cheapFirst: ScorePlugin = {
  name: "CheapFirst",
  weight: 100,
  score: (_, nodes, __, scores) => {
    for (const [index, { labels }] of nodes.entries()) scores[index] = labels.price === "low" ? 100 : 0
    return true
  }
}

export default defineLayers(SchedulerPlugins.layer({ CheapFirst: { score: cheapFirst } }))
