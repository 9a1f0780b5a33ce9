-- What was promised and is done afterwards. Gone with the branch.
CREATE TABLE branch_to_delete (branch_id BIGINT PRIMARY KEY REFERENCES branch (id) ON DELETE CASCADE);
