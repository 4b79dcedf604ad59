(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(class name: [(constant) @name (scope_resolution name: (_) @name)]) @class
(module name: [(constant) @name (scope_resolution name: (_) @name)]) @module
(assignment left: (constant) @name) @constant
(call !receiver method: (identifier) @property arguments: (argument_list (simple_symbol) @name) (#any-of? @property "attr_accessor" "attr_reader" "attr_writer"))
