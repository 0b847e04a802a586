-- Neovim as a client of Peagen: attaches to the daemon, reads lenses and actions, runs them, and reports what it saw.
local report = { messages = {}, progress = {} }
local out = vim.env.REPORT

local function finish(failure)
  report.failure = failure
  vim.fn.writefile({ vim.fn.json_encode(report) }, out)
  vim.cmd(failure and 'cquit' or 'qall!')
end

local function wait(what, condition)
  if not vim.wait(400000, condition, 50) then finish('waited in vain for ' .. what) end
end

local function titles(items)
  return vim.tbl_map(function(item) return item.title or item.command.title end, items or {})
end

-- What a user would choose in the menu.
local wanted
vim.ui.select = function(items, options, choose)
  for _, item in ipairs(items) do
    local label = options.format_item and options.format_item(item) or item
    if label:find(wanted, 1, true) then return choose(item) end
  end
  finish('no choice "' .. wanted .. '"')
end

vim.lsp.handlers['window/showMessage'] = function(_, message)
  table.insert(report.messages, message.message)
end
vim.lsp.handlers['$/progress'] = function(_, params)
  table.insert(report.progress, params.value.kind)
end

local ok, problem = pcall(function()
  local client = vim.lsp.start_client({ name = 'peagen', cmd = vim.split(vim.env.CONNECT, '\n'), root_dir = vim.fn.getcwd() })

  vim.cmd('edit .peagen.toml')
  vim.api.nvim_buf_set_lines(0, 1, 1, false, { 'popultion = 3' })
  vim.lsp.buf_attach_client(0, client)
  wait('a diagnostic', function() return #vim.diagnostic.get(0) > 0 end)
  local diagnostic = vim.diagnostic.get(0)[1]
  report.diagnostic = { line = diagnostic.lnum, message = diagnostic.message }
  vim.api.nvim_buf_set_lines(0, 1, 2, false, {})
  wait('the diagnostic to go', function() return #vim.diagnostic.get(0) == 0 end)

  vim.cmd('edit bad_sort.py')
  local buffer = vim.api.nvim_get_current_buf()
  vim.lsp.buf_attach_client(buffer, client)
  local document = { textDocument = vim.lsp.util.make_text_document_params() }
  local function lenses()
    local answers = vim.lsp.buf_request_sync(buffer, 'textDocument/codeLens', document, 60000)
    return answers and answers[client] and answers[client].result or {}
  end
  report.lenses = titles(lenses())

  vim.fn.search('def bad_sort')
  vim.lsp.codelens.refresh()
  wait('the lenses', function() return #vim.lsp.codelens.get(buffer) > 0 end)
  wanted = 'Evolve'
  vim.lsp.codelens.run()
  wait('the end of the run', function() return #report.messages > 0 end)
  report.lenses_after = titles(lenses())

  local before = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  wanted = 'Apply best'
  vim.lsp.buf.code_action()
  wait('the edit', function() return not vim.deep_equal(before, vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) end)
  report.buffer = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
  report.modified = vim.bo[buffer].modified

  vim.lsp.stop_client(client)
  wait('the client to end', function() return vim.lsp.get_client_by_id(client) == nil end)
end)
finish(not ok and tostring(problem) or nil)
