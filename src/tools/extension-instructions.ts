/** How a model adds a mode, a server or a skill for the person, in the file forms that Joey reads. */

export const EXTENSIONS = {
  create_mode: `A mode is a role with tools of its own. It goes into one of two places:
- \`.roomodes\` in the workspace, for this project; \`~/.joey/custom_modes.yaml\`, for all. Both are YAML:
\`\`\`yaml
customModes:
  - slug: docs-writer            # letters, digits, hyphens; the same slug as a built-in mode replaces it
    name: Docs Writer
    roleDefinition: You are a technical writer who ...
    whenToUse: Writing and revising documentation.
    customInstructions: Keep sentences short.      # optional
    groups:                      # read, edit, command, browser, mcp
      - read
      - - edit
        - fileRegex: \\.mdx?$     # only paths that match may be changed
          description: Markdown files
\`\`\`
- \`.joey/modes/docs-writer.md\`: the same keys as front matter, the role as the text below it.
Rules for this mode alone go into \`.joey/rules-docs-writer/\`. Keep what is in the file already; give only the groups the role needs. Afterwards tell the person how to start it: \`joey --mode docs-writer\`.`,

  create_mcp_server: `An MCP server gives you tools of its own over standard input and output (or HTTP).
1. Ask the person what it shall do, which service it talks to, and where its key comes from. Never write a key into a file of the project.
2. Create it in a folder of its own outside the project unless the person wants it inside; use the official SDK of the language they like (\`@modelcontextprotocol/sdk\` for TypeScript, \`mcp\` for Python). Each tool: a short name, one sentence of description, a closed JSON Schema, an answer as text, errors as \`isError\` results. It must not print anything but the protocol to standard output.
3. Run it once by hand and check that it starts and lists its tools.
4. Add it to \`.roo/mcp.json\` in the workspace, keeping what is there:
\`\`\`json
{ "mcpServers": { "weather": { "command": "node", "args": ["/absolute/path/server.js"], "env": { "WEATHER_KEY": "\${env:WEATHER_KEY}" } } } }
\`\`\`
Joey starts a server from a project only after the person has seen its command and agreed.`,

  create_skill: `A skill is a folder with a SKILL.md: instructions that are loaded when a task calls for them.
- This project: \`.agents/skills/<name>/SKILL.md\`; all projects of the person: \`~/.agents/skills/<name>/SKILL.md\`. A folder \`skills-<mode>\` beside \`skills\` offers it in that mode only.
\`\`\`markdown
---
name: release-notes
description: Writes release notes from the commits since the last tag. Use when the person asks for release notes or a changelog entry.
---
1. List the commits since the last tag.
2. ...
\`\`\`
- The name equals the folder's: lower-case letters, digits and single hyphens, at most 64. The description (at most 1024 characters) is all you see before you load it: say what it does and when to use it.
- The text below is for you, not for people: steps, commands, examples, what to avoid; under 500 lines. Longer material goes into files beside it (\`references/\`, \`scripts/\`, \`assets/\`), named in the text with when to read them.`,
} as const
