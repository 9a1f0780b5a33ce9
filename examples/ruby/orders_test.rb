# frozen_string_literal: true

# A consumer test and a provider verification: `ruby orders_test.rb DIRECTORY`. The system must find libcontract.so.1.
require "net/http"
require "socket"
require_relative "contract"

directory = File.join(ARGV.fetch(0, "contracts"), "ruby")

def check(holds, what)
  abort("not ok: #{what}") unless holds
end

# The consumer.
contract = Contract::Consumer.new("web", "orders", directory:)
contract.upon_receiving("a request for an order")
        .given(state: "an order exists", parameters: { id: 7 })
        .with_request(method: "GET", path: "/orders/7")
        .will_respond_with(status: 200, body: { id: Contract.match("int", example: 7), state: "open" })
contract.serve do |url|
  order = JSON.parse(Net::HTTP.get(URI("#{url}/orders/7")))
  check(order == { "id" => 7, "state" => "open" }, "the answer of the mock server")
end

contract.upon_receiving("another").with_request(method: "GET", path: "/orders/8").will_respond_with(status: 200)
begin
  contract.serve { nil }
  check(false, "a test without a request")
rescue RuntimeError => e
  check(e.message.include?("/orders/8"), "the text of the mismatch")
end

begin
  contract.upon_receiving("x").with_request(method: 5)
  check(false, "an argument that is invalid")
rescue Contract::Error => e
  check(e.data["operation"] == "with_request", "what the error is about")
end

# The provider and its verification.
$orders = {}
server = TCPServer.new("127.0.0.1", 0)
Thread.new do
  loop do
    client = server.accept
    path = client.gets.split[1]
    nil until client.gets.chomp.empty?
    state = $orders[path]
    body = state ? { id: 7, state: }.to_json : ""
    client.write("HTTP/1.1 #{state ? 200 : 404} x\r\nContent-Type: application/json\r\n" \
                 "Content-Length: #{body.bytesize}\r\nConnection: close\r\n\r\n#{body}")
    client.close
  end
end

verifying = lambda do |verifier, handler|
  verifier.apply(add_source: { source: directory })
          .apply(add_transport: { transport: "http://127.0.0.1:#{server.addr[1]}" })
          .apply(state_handler: { handler: { "an order exists": handler }, options: { teardown: true } })
  result = verifier.verify
  verifier.close
  result
end

verifier = Contract::Verifier.new("orders")
thread = Thread.current
handler = verifier.function do |action, parameters|
  check(Thread.current == thread, "the thread of a handler")
  $orders = action == "setup" ? { "/orders/#{parameters["id"]}" => "open" } : {}
  nil
end
result = verifying.call(verifier, handler)
check(result["failures"].nil?, result["failures"])
check(result["report"]["summary"]["passed"] == 1, "the report")
check($orders.empty?, "the teardown")

verifier = Contract::Verifier.new("orders")
failing = verifier.function { |_, _| raise "the database is gone" }
result = verifying.call(verifier, failing)
check(result["failures"].include?("RuntimeError: the database is gone"), "a handler that fails")
puts "works"
