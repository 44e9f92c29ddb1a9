/** One name for a model, however a vendor spells it: `anthropic/claude-sonnet-4.5`, `claude-sonnet-4-5-20250929` → `claude-sonnet-4-5`. */
export function modelKey(id: string): string {
  return id
    .toLowerCase()
    .replace(/^.*\//, "")
    .replace(/:[^:]*$/, "")
    .replace(/[._]/g, "-")
    .replace(/-(20\d{6}|\d{4}-\d{2}-\d{2}|latest)$/, "")
}
